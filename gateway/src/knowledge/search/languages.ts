/** A language whose word forms PostgreSQL knows. */
interface Language {
  /** Its dictionary there. */
  readonly dictionary: string
  /** Words are written together, as in German. */
  readonly hasCompounds?: true
  /** Frequent words that few others have, by which it is recognised. */
  readonly frequent: string
}

const known: Readonly<Record<string, Language>> = {
  da: {
    dictionary: 'danish_stem',
    hasCompounds: true,
    frequent: 'og det er ikke jeg af til på med hvad som der vi du har kan for blev efter også når',
  },
  de: {
    dictionary: 'german_stem',
    hasCompounds: true,
    frequent:
      'der die das und ist nicht sie ein eine mit für auf von zu dem den im wir ich werden auch bei wenn oder',
  },
  en: {
    dictionary: 'english_stem',
    frequent: 'the and of to is in that it you for are with this be have not on your we can will from or as',
  },
  es: {
    dictionary: 'spanish_stem',
    frequent: 'el la de que y en los las un una por con no se para del es al su más cuando usted está como',
  },
  fi: {
    dictionary: 'finnish_stem',
    hasCompounds: true,
    frequent: 'ja on ei että se hän oli joka mutta ovat kun niin myös voi tai kanssa sekä olla',
  },
  fr: {
    dictionary: 'french_stem',
    frequent: 'le la les des et est un une du que pour dans vous nous pas sur avec qui au ce votre sont être',
  },
  hu: {
    dictionary: 'hungarian_stem',
    hasCompounds: true,
    frequent: 'a az és hogy nem is egy van ez meg csak de mint vagy ha kell lehet után minden',
  },
  it: {
    dictionary: 'italian_stem',
    frequent: 'il di che e la per un una non sono del della con gli le si da nel alla dei come più è',
  },
  nl: {
    dictionary: 'dutch_stem',
    hasCompounds: true,
    frequent: 'de het een en van ik dat niet zijn op te met voor er aan wordt ook bij naar wij uw kunt',
  },
  no: {
    dictionary: 'norwegian_stem',
    hasCompounds: true,
    frequent: 'og det er ikke jeg av til på med hva som vi du har kan for ble etter også når seg',
  },
  pt: {
    dictionary: 'portuguese_stem',
    frequent: 'o a de que e do da em um uma para com não os no se na por mais as dos você seu é ao',
  },
  ro: {
    dictionary: 'romanian_stem',
    frequent: 'și în de la cu este nu pe un o care mai din pentru sunt au să ce fi prin',
  },
  sv: {
    dictionary: 'swedish_stem',
    hasCompounds: true,
    frequent: 'och det att är inte jag av till på med vad som vi du har kan för den ett också när',
  },
  tr: {
    dictionary: 'turkish_stem',
    frequent: 've bir bu için ile de da ne çok olarak gibi daha olan var mi ya en her değil',
  },
  ar: { dictionary: 'arabic_stem', frequent: '' },
  el: { dictionary: 'greek_stem', frequent: '' },
  hi: { dictionary: 'hindi_stem', frequent: '' },
  hy: { dictionary: 'armenian_stem', frequent: '' },
  ru: { dictionary: 'russian_stem', frequent: '' },
  ta: { dictionary: 'tamil_stem', frequent: '' },
}
const alike: Readonly<Record<string, string>> = { nb: 'no', nn: 'no' }

/** Languages that have a script to themselves, or are by far the most frequent in it. */
const byScript: readonly (readonly [RegExp, string])[] = [
  [/\p{Script=Cyrillic}/gu, 'ru'],
  [/\p{Script=Greek}/gu, 'el'],
  [/\p{Script=Arabic}/gu, 'ar'],
  [/\p{Script=Devanagari}/gu, 'hi'],
  [/\p{Script=Armenian}/gu, 'hy'],
  [/\p{Script=Tamil}/gu, 'ta'],
]
const frequentWords = Object.entries(known)
  .filter(([, { frequent }]) => frequent !== '')
  .map(([language, { frequent }]) => ({ language, words: new Set(frequent.split(' ')) }))

/** How much of a document tells its language. */
const toldByCharacters = 20_000

/** Of a tag such as `de-AT`; empty where full text knows no word forms of it. */
export function languageOf(tag: string): string {
  const [primary = ''] = tag.toLowerCase().split('-')
  const language = alike[primary] ?? primary
  return Object.hasOwn(known, language) ? language : ''
}

export const dictionaryOf = (language: string) => known[language]?.dictionary ?? 'simple'
export const hasCompounds = (language: string) => known[language]?.hasCompounds === true

/** The language that a text is in, as its script and its most frequent words tell; undefined where they do not. */
export function detectLanguage(text: string): string | undefined {
  const sample = text.slice(0, toldByCharacters).toLowerCase()
  const letters = sample.match(/\p{L}/gu)?.length ?? 0
  const isMostly = (script: RegExp) => (sample.match(script)?.length ?? 0) > letters / 2
  for (const [script, language] of byScript) if (isMostly(script)) return language
  if (letters > 0 && !isMostly(/\p{Script=Latin}/gu)) return ''
  const words = sample.match(/[\p{L}\p{M}]+/gu) ?? []
  const scores = frequentWords.map(({ language, words: frequent }) => ({
    language,
    score: words.filter((word) => frequent.has(word)).length,
  }))
  const [best] = scores.toSorted((a, b) => b.score - a.score)
  return best && best.score > 0 && best.score * 20 >= words.length ? best.language : undefined
}

/** Of a text that is too short to tell it, in a base without others: its plurals are most likely of this one. */
export const likelyLanguage = 'en'
