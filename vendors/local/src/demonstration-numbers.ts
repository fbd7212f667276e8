const digits: readonly (readonly string[])[] = [
  ['zero', 'oh', 'cero'],
  ['one', 'uno', 'un', 'una', 'um', 'uma'],
  ['two', 'dos', 'dois', 'duas'],
  ['three', 'tres', 'três'],
  ['four', 'cuatro', 'quatro'],
  ['five', 'cinco'],
  ['six', 'seis', 'meia'],
  ['seven', 'siete', 'sete'],
  ['eight', 'ocho', 'oito'],
  ['nine', 'nueve', 'nove'],
  ['ten', 'diez', 'dez'],
  ['eleven', 'once', 'onze'],
  ['twelve', 'doce', 'doze'],
  ['thirteen', 'trece', 'treze'],
  ['fourteen', 'catorce', 'catorze'],
  ['fifteen', 'quince', 'quinze'],
  ['sixteen', 'dieciséis', 'dezesseis', 'dezasseis'],
  ['seventeen', 'diecisiete', 'dezessete', 'dezassete'],
  ['eighteen', 'dieciocho', 'dezoito'],
  ['nineteen', 'diecinueve', 'dezenove', 'dezanove'],
]
const tens: readonly (readonly string[])[] = [
  ['twenty', 'veinte', 'vinte'],
  ['thirty', 'treinta', 'trinta'],
  ['forty', 'cuarenta', 'quarenta'],
  ['fifty', 'cincuenta', 'cinquenta'],
  ['sixty', 'sesenta', 'sessenta'],
  ['seventy', 'setenta'],
  ['eighty', 'ochenta', 'oitenta'],
  ['ninety', 'noventa'],
]
const values = new Map<string, number>([
  ...digits.flatMap((words, value) => words.map((word) => [word, value] as const)),
  ...tens.flatMap((words, at) => words.map((word) => [word, (at + 2) * 10] as const)),
])
const times = new Map([
  ['double', 2],
  ['doble', 2],
  ['triple', 3],
])
const pluses = new Set(['plus', 'más', 'mais'])

/** Numbers said in words as digits: "plus three four" is +34, "double six" 66, "twenty one" 21. */
export function withDigits(text: string): string {
  const parts = text.split(/([^\p{L}\p{N}+]+)/u)
  let written = ''
  let isInNumber = false
  for (let at = 0; at < parts.length; at += 2) {
    const [word = '', gap = ''] = [parts[at], parts[at + 1]]
    const next = parts[at + 2]?.toLowerCase() ?? ''
    const said = numberOf(word.toLowerCase(), next, /^[\s-]*$/u.test(gap))
    if (said === undefined) {
      written += word + gap
      isInNumber = false
      continue
    }
    if (isInNumber) written = written.trimEnd()
    written += said.digits
    isInNumber = true
    if (said.isOfTwo) at += 2
    const after = said.isOfTwo ? (parts[at + 1] ?? '') : gap
    const follows = parts[at + 2]?.toLowerCase() ?? ''
    const goesOn = /^[\s-]*$/u.test(after) && (values.has(follows) || times.has(follows))
    if (!goesOn) {
      isInNumber = false
      written += said.digits === '+' ? '' : after
    }
  }
  return written
}

function numberOf(
  word: string,
  next: string,
  isJoined: boolean,
): { digits: string; isOfTwo: boolean } | undefined {
  const following = isJoined ? values.get(next) : undefined
  if (pluses.has(word) && isJoined && (following !== undefined || /^\d/u.test(next)))
    return { digits: '+', isOfTwo: false }
  const repeated = times.get(word)
  if (repeated !== undefined && following !== undefined && following < 10)
    return { digits: String(following).repeat(repeated), isOfTwo: true }
  const value = values.get(word)
  if (value === undefined) return undefined
  const isSum = value >= 20 && following !== undefined && following > 0 && following < 10
  return { digits: String(isSum ? value + following : value), isOfTwo: isSum }
}

const phoneNumber = /\+?\d[\d\s().-]{4,}\d/gu

/** Phone numbers in a text, in digits or in words, without the signs between their digits. */
export const phoneNumbersIn = (text: string): string[] =>
  [...withDigits(text).matchAll(phoneNumber)].map(([number]) => number.replaceAll(/[^\d+]/gu, ''))
