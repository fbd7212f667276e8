import { keywordsAmong, textOf } from '@switchroom/kit/keywords'
import type { Setting } from '@switchroom/kit/vendor'
import { codeOf } from './languages.ts'

/** It refuses a longer list. */
const mostWords = 1_000

/** What streams and recordings may ask for alike, apart from the language. */
export function sharedConfig(keywords: Setting['keywords']): Record<string, unknown> {
  const { additional_vocab: words, diarization, volume_threshold: volume, ...rest } = keywords
  const vocabulary = [words ?? []].flat().slice(0, mostWords).map(wordOf)
  const speakers = keywordsAmong(rest, ['speaker_sensitivity', 'prefer_current_speaker'])
  return {
    ...keywordsAmong(rest, ['model', 'domain', 'output_locale', 'enable_entities', 'punctuation_overrides']),
    ...(vocabulary.length > 0 && { additional_vocab: vocabulary }),
    ...(diarization !== undefined && { diarization: kindOf(diarization) }),
    ...(Object.keys(speakers).length > 0 && { speaker_diarization_config: speakers }),
    ...(rest['remove_disfluencies'] !== undefined && {
      transcript_filtering_config: { remove_disfluencies: rest['remove_disfluencies'] },
    }),
    ...(volume !== undefined && { audio_filtering_config: { volume_threshold: volume } }),
  }
}

/** The language that was asked for, as it names it. */
export function languageIn(keywords: Setting['keywords']): string | undefined {
  const language = textOf(keywords['language'])
  return language === undefined ? undefined : codeOf(language)
}

const wordOf = (word: unknown) => (typeof word === 'string' ? { content: word } : word)

const kindOf = (diarization: unknown) => {
  if (typeof diarization !== 'boolean') return diarization
  return diarization ? 'speaker' : 'none'
}
