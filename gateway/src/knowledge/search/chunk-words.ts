import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Chunk } from '../passages.ts'
import { detectLanguage, languageOf, likelyLanguage } from './languages.ts'
import type { Stems } from './stems.ts'
import { tokensOf } from './tokens.ts'

/** What full text keeps of a chunk. */
export interface ChunkWords {
  readonly language: string
  readonly length: number
  /** A lexeme's places, and with `^` before it those in headings. */
  readonly places: ReadonlyMap<string, readonly number[]>
}

/** How many chunks hold up the gateway's other work at once. */
const readAtOnce = 50
const highestPlace = 16_383
const mostPlaces = 20

/** The words of a document's chunks by their forms in its language. */
export async function wordsOfChunks(
  stems: Stems,
  language: { set: string | null; usual: string | null },
  chunks: readonly Chunk[],
  signal: AbortSignal,
): Promise<ChunkWords[]> {
  const told =
    language.set === null
      ? (detectLanguage(sampleOf(chunks)) ?? language.usual ?? likelyLanguage)
      : languageOf(language.set)
  const words: ChunkWords[] = []
  for (let at = 0; at < chunks.length; at += readAtOnce) {
    signal.throwIfAborted()
    const tokens = chunks
      .slice(at, at + readAtOnce)
      .map(({ heading, text }) => ({ heading: textsOf(heading.join('\n')), text: textsOf(text) }))
    const forms = await stems.of(told, new Set(tokens.flatMap(({ heading, text }) => [...heading, ...text])))
    for (const { heading, text } of tokens)
      words.push({
        language: told,
        length: heading.length + text.length,
        places: placesOf(forms, heading, text),
      })
    await nextTurn()
  }
  return words
}

const textsOf = (text: string) => tokensOf(text).map((token) => token.text)

/** The begin of each chunk: a document may begin with a table or a licence in another language. */
const sampleOf = (chunks: readonly Chunk[]) =>
  chunks
    .slice(0, 100)
    .map(({ text }) => text.slice(0, 500))
    .join('\n')

function placesOf(
  forms: ReadonlyMap<string, readonly string[]>,
  heading: readonly string[],
  text: readonly string[],
): Map<string, number[]> {
  const places = new Map<string, number[]>()
  const add = (lexeme: string, place: number) => {
    const known = places.get(lexeme)
    if (!known) places.set(lexeme, [place])
    else if (known.length < mostPlaces && known.at(-1) !== place) known.push(place)
  }
  for (const [index, token] of [...heading, ...text].entries())
    for (const form of forms.get(token) ?? []) {
      const place = Math.min(index + 1, highestPlace)
      add(form, place)
      if (index < heading.length) add(`^${form}`, place)
    }
  return places
}

const quoted = (lexeme: string) => `'${lexeme.replace(/['\\]/g, '$&$&')}'`

/** What a base's lexemes begin with, so that no other base's are among them. */
export const lexemeOf = (base: number, form: string) => quoted(`${base}/${form}`)

/** As PostgreSQL reads a vector. */
export const vectorOf = (base: number, { places }: ChunkWords) =>
  [...places].map(([form, at]) => `${lexemeOf(base, form)}:${at.join(',')}`).join(' ')
