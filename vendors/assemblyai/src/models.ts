import { primaryTag } from '@switchroom/kit/languages'

/** The product has one name, its live wire two: one for English alone, one for six languages. */
const product = 'universal-streaming'

export function liveModel(model: string, language: string | undefined): string {
  if (model !== product) return model
  return language === undefined || primaryTag(language) === 'en'
    ? `${product}-english`
    : `${product}-multilingual`
}

/** These know their language by their name. */
export const takesLanguage = (model: string) => !model.startsWith(product)

/** A model that only listens live leaves recordings to the one that knows most languages. */
export function recordedModel(model: string): string {
  return model === 'universal' || model.startsWith(product) || model.includes('-rt') ? 'universal-2' : model
}
