import { refused } from '@switchroom/kit/failures'
import { primaryTag } from '@switchroom/kit/languages'

/** The languages of its voices, as it names them. */
const codes: Record<string, string> = {
  ar: 'ara',
  de: 'ger',
  en: 'eng',
  es: 'spa',
  fr: 'fra',
  hi: 'hin',
  ja: 'jpn',
  pt: 'por',
}

/** A voice speaks one language: these speak for those who name none. */
const firstVoices: Record<string, Record<string, string>> = {
  coda: {
    en: 'astra',
    es: 'brisa',
    pt: 'isadora',
    fr: 'aurelie',
    de: 'lorelei',
    ja: 'sakura',
    ar: 'layla',
    hi: 'nadi',
  },
  mist: { en: 'cove', es: 'isa', fr: 'juliette', de: 'amalia' },
}

/** The models of one family have most of their voices in common. */
export const familyOf = (model: string) => (model.startsWith('mist') ? 'mist' : 'coda')

/** `eng` of `en-GB`; a language that no voice is known of stays as it is. */
export function codeOf(tag: string): string {
  const primary = primaryTag(tag)
  return codes[primary] ?? primary
}

/** `en` of `eng`; null if it is unknown. */
export function tagOf(code: string | undefined): string | null {
  return Object.keys(codes).find((tag) => codes[tag] === code || tag === code) ?? null
}

/** Who speaks this language if no voice was chosen. */
export function firstVoice(model: string, language: string): string {
  const voices = firstVoices[familyOf(model)] ?? {}
  const found = voices[primaryTag(language)]
  if (found === undefined)
    throw refused(
      `${model} of rime has no voice for "${language}": choose a voice, or one of ${Object.keys(voices).join(', ')}`,
    )
  return found
}
