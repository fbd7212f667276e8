/** What cities are called in the languages of the phrases, where it is not as in the name of their time zone. */
const otherNames: Readonly<Record<string, string>> = {
  tokio: 'Asia/Tokyo',
  toquio: 'Asia/Tokyo',
  londres: 'Europe/London',
  'nueva york': 'America/New_York',
  'nova york': 'America/New_York',
  'nova iorque': 'America/New_York',
  lisboa: 'Europe/Lisbon',
  roma: 'Europe/Rome',
  moscu: 'Europe/Moscow',
  'rio de janeiro': 'America/Sao_Paulo',
  barcelona: 'Europe/Madrid',
  porto: 'Europe/Lisbon',
  munich: 'Europe/Berlin',
  beijing: 'Asia/Shanghai',
  delhi: 'Asia/Kolkata',
  mumbai: 'Asia/Kolkata',
  'san francisco': 'America/Los_Angeles',
  'mexico city': 'America/Mexico_City',
  japan: 'Asia/Tokyo',
  spain: 'Europe/Madrid',
  portugal: 'Europe/Lisbon',
}

const plainOf = (text: string) =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}/]+/gu, ' ')
    .trim()

let known: ReadonlyMap<string, string> | undefined

function zones(): ReadonlyMap<string, string> {
  known ??= new Map([
    ...Intl.supportedValuesOf('timeZone').map(
      (zone) => [plainOf(zone.slice(zone.lastIndexOf('/') + 1)), zone] as const,
    ),
    ...Object.entries(otherNames),
  ])
  return known
}

const mostWords = 3
const mostWordsOfText = 200

/** The time zone of a city that a text names; undefined if it names none of them. */
export function zoneIn(text: string): string | undefined {
  const words = plainOf(text).split(' ').slice(-mostWordsOfText)
  for (let length = mostWords; length > 0; length -= 1)
    for (let at = 0; at + length <= words.length; at += 1) {
      const zone = zones().get(words.slice(at, at + length).join(' '))
      if (zone !== undefined) return zone
    }
  return undefined
}

/** The place after "in", as it was said. */
export const placeIn = (text: string): string | undefined =>
  /\b(?:in|en|em) +(\p{Lu}[\p{L}'’-]*(?: +\p{Lu}[\p{L}'’-]*)*)/u.exec(text)?.[1]
