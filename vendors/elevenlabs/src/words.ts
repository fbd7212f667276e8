import type { HeardWord } from '@switchroom/kit/vendor'

export interface Token {
  text?: string
  start?: number
  end?: number
  type?: 'word' | 'spacing' | 'audio_event'
  speaker_id?: string | null
}

/** A word with its times; the spaces and the noises between words have none that count. */
export function wordOf({ text, start, end, type = 'word' }: Token): HeardWord | undefined {
  if (type !== 'word' || text === undefined || start === undefined || end === undefined) return undefined
  return { word: text, start, end }
}

/** Two letters of a code that may have three: it answers `eng` where others say `en`. */
export function twoLettersOf(code: string | null | undefined): string | null {
  const [tag] = /^[a-z]{2,3}(?![a-z])/i.exec(code ?? '') ?? []
  if (tag === undefined) return null
  const { language } = new Intl.Locale(tag)
  return language.length === 2 ? language : null
}

/** The terms it takes: it refuses a request with more, with longer ones, or with one of these characters. */
export function termsWithin(terms: unknown, most: number, longest: number): string[] {
  const words = [terms ?? []].flat() as string[]
  return words.filter((term) => term.length <= longest && !/[<>{}[\]\\]/.test(term)).slice(0, most)
}
