import { primaryTag } from '@switchroom/kit/languages'
import type { Setting } from '@switchroom/kit/vendor'

export const defaultAddress = 'https://api.gladia.io'

export const headersFor = ({ credentials }: Setting) => ({ 'x-gladia-key': String(credentials['api_key']) })

/** Its models for recordings do not listen live. */
const recordedAlone = new Set(['solaria-3', 'solaria-fusion'])

export function liveModel({ model }: Setting['keywords']): unknown {
  return recordedAlone.has(String(model)) ? 'solaria-1' : model
}

/** One language is heard; with none, or several, it finds out. */
export function languageWish({ languages, code_switching: switches }: Setting['keywords']): object {
  if (languages === undefined && switches === undefined) return {}
  return {
    language_config: {
      languages: [languages ?? []].flat().map(String).map(primaryTag),
      ...(switches !== undefined && { code_switching: switches }),
    },
  }
}

export function vocabularyWish({ custom_vocabulary: words }: Setting['keywords']): object {
  const vocabulary = [words ?? []].flat()
  return vocabulary.length === 0 ? {} : { custom_vocabulary: true, custom_vocabulary_config: { vocabulary } }
}
