import { keywordsAmong } from '@switchroom/kit/keywords'
import { primaryTag } from '@switchroom/kit/languages'
import type { Setting } from '@switchroom/kit/vendor'

/** It hears on one host and transcribes on another, in every region; an operator gives either. */
export function hostOf({ base_url: given }: Setting['keywords'], part: 'api' | 'stt-rt'): string {
  const base = typeof given === 'string' ? given : 'https://api.soniox.com'
  return base.replace(/\/\/(api|stt-rt)\.(?=(\w+\.)?soniox\.com)/, `//${part}.`)
}

const plainParameters = [
  'language_hints_strict',
  'enable_speaker_diarization',
  'enable_language_identification',
]

/** What it is asked to do by any model, live or not; the language it hears is always reported. */
export function wishesOf(keywords: Setting['keywords']): object {
  const { language_hints: language, context } = keywords
  return {
    enable_language_identification: true,
    ...keywordsAmong(keywords, plainParameters),
    ...(language !== undefined && { language_hints: [language].flat().map(String).map(primaryTag) }),
    ...(context !== undefined && {
      context: Array.isArray(context) ? { terms: fitting(context as string[]) } : context,
    }),
  }
}

/** With more than 10,000 letters of context it refuses the whole; names and signs count too. */
const mostTermLetters = 8_000

function fitting(terms: readonly string[]): string[] {
  let letters = 0
  return terms.filter((term) => (letters += term.length) <= mostTermLetters)
}
