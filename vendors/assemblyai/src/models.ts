import { primaryTag } from '@switchroom/kit/languages'

/** The product has one name, its live wire two: one for English alone, one for six languages. */
const product = 'universal-streaming'

export function liveModel(model: string, language: string | undefined): string {
  if (model !== product) return model
  return language !== undefined && primaryTag(language) === 'en'
    ? `${product}-english`
    : `${product}-multilingual`
}

/** What a live model is asked about the language: one that it must know, or to find it out. */
export function liveLanguage(model: string, language: string | undefined): Record<string, unknown> {
  if (model === `${product}-english`) return {}
  if (language === undefined) return { language_detection: true }
  if (model.startsWith(product)) return {} // it finds it out by itself
  const tag = primaryTag(language)
  return model === 'whisper-rt' ? { language_code: tag } : { language_codes: JSON.stringify([tag]) }
}

/** Its newest live models; they have siblings for recordings, which know fewer languages than the older one. */
const isNewest = (model: string) => /^(u3|universal-3-6)/.test(model)

/** In the order in which it tries them, by language. A model that only listens live leaves recordings to others. */
export function recordedModels(model: string): string[] {
  if (isNewest(model)) return ['universal-3-5-pro', 'universal-2']
  const isLive = model === 'universal' || model.startsWith(product) || model.includes('-rt')
  return [isLive ? 'universal-2' : model]
}
