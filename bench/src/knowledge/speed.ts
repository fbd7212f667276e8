import { type BenchBases, chunkOf } from './bench-base.ts'
import { judge, percentile, say } from '../report.ts'

const vocabulary = 50_000
const wordsOfChunk = 120
const chunksOfDocument = 200
const searches = 300

/** As in a language: the second word is half as frequent as the first, the third a third. */
function zipf(random: () => number): number {
  return Math.floor(Math.exp(random() * Math.log(vocabulary)))
}

/** The same numbers in every run. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}

const syllables = [
  'ka',
  'lo',
  'mi',
  'ru',
  'te',
  'so',
  'na',
  'pe',
  'di',
  'vu',
  'ga',
  'bo',
  'fi',
  'zu',
  'he',
  'ja',
]
function wordOf(rank: number): string {
  let word = ''
  for (let rest = rank + 16; rest > 0; rest = Math.floor(rest / 16)) word += syllables[rest % 16]
  return word
}

export interface SpeedWanted {
  chunks: number
  others: number
}

/** How long searches of a large base take, beside many small ones. */
export async function searchSpeed(bases: BenchBases, { chunks, others }: SpeedWanted): Promise<boolean> {
  const random = seeded(7)
  const some = (words: number) => Array.from({ length: words }, () => wordOf(zipf(random))).join(' ')
  const fill = async (name: string, size: number) => {
    const base = await bases.add(name, 'en')
    for (let at = 0; at < size; at += chunksOfDocument) {
      const count = Math.min(chunksOfDocument, size - at)
      await bases.put(
        base,
        `${at}.md`,
        Array.from({ length: count }, () => chunkOf(some(wordsOfChunk), [some(3)])),
      )
    }
    return base
  }
  const begun = performance.now()
  await fill('large', chunks)
  say(`${chunks} chunks written in ${((performance.now() - begun) / 1000).toFixed(0)} s`)
  for (let other = 0; other < others; other += 1) await fill(`small-${other}`, 20)
  await bases.database.pool.query('analyze')

  const kinds: Record<string, () => string> = {
    'a spoken question': () => `${some(6)} ${wordOf(Math.floor(random() * vocabulary))}`,
    'only the most frequent words': () =>
      Array.from({ length: 4 }, () => wordOf(Math.floor(random() * 8) + 1)).join(' '),
    'one frequent word': () => wordOf(Math.floor(random() * 4) + 1),
    'a thousand characters': () => some(140).slice(0, 1000),
  }
  let isKept = true
  for (const [kind, query] of Object.entries(kinds)) {
    const times: number[] = []
    for (let at = 0; at < searches; at += 1) {
      const started = performance.now()
      await bases.search.search(bases.reach, 'large', { query: query(), k: 5, minScore: 0 })
      times.push(performance.now() - started)
    }
    say(`${kind}: p50 ${percentile(times, 50).toFixed(1)} ms`)
    isKept = judge(`${kind}, p95 ms`, percentile(times, 95), { atMost: 50 }) && isKept
  }
  return isKept
}
