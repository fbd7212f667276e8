const digits = new Set(
  (
    'zero oh one two three four five six seven eight nine double triple ' +
    'cero uno dos tres cuatro cinco seis siete ocho nueve doble ' +
    'um dois duas três quatro cinco sete oito nove meia'
  ).split(' '),
)
const isNumber = (word: string) => digits.has(word) || /^\d+$/u.test(word)
const lengthOf = (word: string) => (/^\d+$/u.test(word) ? word.length : 1)

/** What is dictated digit by digit: no phone number, and no card, ends before this many. */
const wholeNumber = 9
const fewestGroups = 2
const fewestDigits = 3
/** Somebody who says this gives a number that is longer than a quantity. */
const announced =
  /number|phone|card|code|account|número|telé?fono|tarjeta|código|cuenta|telefone|celular|cartão|conta|cpf/u

/** Whether the last words are a number that is being dictated and that may continue. */
export function isDictated(words: readonly string[]): boolean {
  const from = words.findLastIndex((word) => !isNumber(word)) + 1
  const groups = words.slice(from)
  const count = groups.reduce((sum, word) => sum + lengthOf(word), 0)
  const isSpelled = groups.length >= fewestGroups || announced.test(words.slice(0, from).join(' '))
  return isSpelled && count >= fewestDigits && count < wholeNumber
}
