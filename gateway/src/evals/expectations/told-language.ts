import type { ToldLanguage } from '@switchroom/contract/eval-names'

/** Of each language the words that its texts have most and the others seldom. */
const commonWords: Partial<Record<ToldLanguage, string>> = {
  ca: 'amb això és els i les més molt o per però puc què quan són una us vostè gràcies bon dia ajudar',
  de: 'aber auch das der die du ein eine für haben ich ihnen ist kann können mit nicht sie und was wie wir zu danke',
  en: 'and are can do for have how i in is it me my of on that the this to was we what will with you your thanks',
  es: 'con de el en es está hola la las le los más no para pero por puedo que qué se su sus una usted y gracias',
  fr: 'avec ce de des du est et il je la le les mais merci ne nous pas pour que qui sur un une vous votre bonjour',
  it: 'che come con di e è gli grazie il in la le lei mi non per più posso può sono un una vuole ho buongiorno',
  nl: 'aan bent dat de dit een en het hoe ik in is je kan maar met niet op te u van voor wat we bedankt',
  pl: 'ale by być co czy do dla i jak jest ma mi na nie o pan pani się to w z za że dziękuję dzień',
  pt: 'a ao com como da de do e é em está eu mais mas não o os para por posso que se um uma você obrigado olá',
  sv: 'att av är det du en ett för från har hej hur i inte jag kan men med och om på som till vad vi tack',
}
const wordSets = Object.entries(commonWords).map(
  ([language, words]) => [language as ToldLanguage, new Set(words.split(' '))] as const,
)

/** Writing that one of the languages alone has. */
const scripts: readonly (readonly [ToldLanguage, RegExp])[] = [
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['zh', /\p{Script=Han}/gu],
  ['ko', /\p{Script=Hangul}/gu],
  ['ru', /\p{Script=Cyrillic}/gu],
  ['el', /\p{Script=Greek}/gu],
  ['ar', /\p{Script=Arabic}/gu],
  ['he', /\p{Script=Hebrew}/gu],
  ['hi', /\p{Script=Devanagari}/gu],
  ['th', /\p{Script=Thai}/gu],
]

/** Fewer common words than this tell nothing. */
const fewestWords = 2

/** The language of a text by its writing, else by its commonest words; undefined if neither says. */
export function toldLanguage(text: string): ToldLanguage | undefined {
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  for (const [language, script] of scripts) {
    const found = text.match(script)?.length ?? 0
    if (found > 0 && found > letters / (language === 'ja' ? 8 : 2)) return language
  }
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? []
  const counts = wordSets
    .map(([language, set]) => ({ language, count: words.filter((word) => set.has(word)).length }))
    .toSorted((one, other) => other.count - one.count)
  const [first, second] = counts
  if (!first || first.count < fewestWords || first.count === second?.count) return undefined
  return first.language
}
