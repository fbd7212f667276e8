const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** As text of XML, without the characters that XML cannot hold. */
const escaped = (text: string) =>
  text
    .replaceAll(/[\p{Cc}\uFFFE\uFFFF]/gu, ' ')
    .replaceAll(/[&<>"']/g, (character) => entities[character] ?? character)

export interface Manner {
  voice: string
  /** Which the voice is to speak, if it speaks several. */
  locale?: string | undefined
  speed?: unknown
  pitch?: unknown
  volume?: unknown
  style?: unknown
  style_degree?: unknown
  temperature?: unknown
}

/** A text as it is to be said. */
export function ssmlOf(text: string, manner: Manner): string {
  const { voice, locale, speed, pitch, volume, style, style_degree: degree, temperature } = manner
  const parameters = temperature === undefined ? undefined : `temperature=${Number(temperature)}`
  const spoken = [
    ['mstts:express-as', style === undefined ? {} : { style, styledegree: degree }],
    ['prosody', { rate: speed, pitch, volume }],
    ['lang', { 'xml:lang': locale }],
  ] as const
  const inner = spoken.reduceRight(
    (inside, [name, attributes]) => element(name, attributes, inside),
    escaped(text),
  )
  const names = 'xmlns="http://www.w3.org/2001/10/synthesis" xmlns:mstts="https://www.w3.org/2001/mstts"'
  const said = element('voice', { name: voice, parameters }, inner)
  return `<speak version="1.0" ${names} xml:lang="${escaped(locale ?? 'en-US')}">${said}</speak>`
}

/** What is inside alone, if there is nothing to say of it. */
function element(name: string, attributes: Record<string, unknown>, inside: string): string {
  const given = Object.entries(attributes).filter(([, value]) => value !== undefined)
  if (given.length === 0) return inside
  const written = given.map(([key, value]) => ` ${key}="${escaped(String(value))}"`).join('')
  return `<${name}${written}>${inside}</${name}>`
}
