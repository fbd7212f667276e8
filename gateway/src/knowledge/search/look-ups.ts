import type { AskedThing } from './asked-things.ts'
import { lexemeOf } from './chunk-words.ts'

/** How many chunks of a base have a lexeme. */
export type ChunksWith = ReadonlyMap<string, number>

/** Compounds that a lexeme begins or ends. */
export type Compounds = ReadonlyMap<string, readonly string[]>

/** What PostgreSQL is asked, each list in its order. */
export interface LookUps {
  /** Queries that find candidates, and the most that each may find. */
  readonly lookups: string[]
  readonly limits: number[]
  /** Looked for in the first chunks of the base alone: words that are nearly everywhere; null where there are better. */
  readonly everywhere: string | null
  /** For each thing that is asked: what it is, what it is in a heading, and a looser form. */
  readonly exact: (string | null)[]
  readonly headings: (string | null)[]
  readonly looser: (string | null)[]
  /** Together 1. */
  readonly weights: number[]
}

/** So many chunks are ranked for rare words, however many a base has. */
const mostCandidates = 500
/** And so many for words that are common together. */
const mostTogether = 200
/** What more chunks have is not looked up in the index, which would name all of them. */
const mostIndexed = 20_000
/** So many of a base's first chunks are looked through if nothing else can be looked up. */
export const mostSampled = 500
/** The rarest things of a long query. */
const mostThings = 16

/** How much a word tells, by how few chunks have it; one that is in none as much as one that is in a single chunk. */
export const weightOf = (having: number, chunks: number) => {
  const some = Math.min(Math.max(having, 1), chunks)
  return Math.log(1 + (chunks - some + 0.5) / (some + 0.5))
}

interface Thing {
  readonly exact: string | null
  readonly heading: string | null
  readonly looser: string | null
  readonly having: number
  readonly inHeadings: number
  readonly havingLooser: number
  readonly weight: number
}

/**
 * Rare words find the candidates. Words that are in too many chunks for that are looked up only together, or in
 * headings, so that no query makes PostgreSQL rank a large base.
 */
export function lookUps(
  base: number,
  chunks: number,
  things: readonly AskedThing[],
  having: ChunksWith,
  compounds: Compounds,
): LookUps | undefined {
  const all = things
    .map((thing) => thingIn(base, chunks, thing, having, compounds))
    .toSorted((a, b) => b.weight - a.weight)
    .slice(0, mostThings)
  const known = all.filter(({ exact, looser }) => exact !== null || looser !== null)
  if (known.length === 0) return undefined
  const candidates = candidatesOf(known)
  const whole = all.reduce((sum, { weight }) => sum + weight, 0)
  return {
    lookups: candidates.map(({ query }) => query),
    limits: candidates.map(({ most }) => most),
    everywhere: candidates.length > 0 ? null : anyOf(known.map(queryOf).filter((query) => query !== null)),
    exact: known.map(({ exact }) => exact),
    headings: known.map(({ heading }) => heading),
    looser: known.map(({ looser }) => looser),
    weights: known.map(({ weight }) => weight / whole),
  }
}

function thingIn(
  base: number,
  chunks: number,
  { forms, looser, inCompounds }: AskedThing,
  having: ChunksWith,
  compounds: Compounds,
): Thing {
  const count = (lexeme: string) => having.get(lexeme) ?? 0
  const total = (lexemes: readonly string[]) => lexemes.reduce((sum, lexeme) => sum + count(lexeme), 0)
  const own = forms.filter(count)
  const inHeadings = own.map((form) => `^${form}`).filter(count)
  const together = looser.filter((all) => all.every(count))
  const joined = [...new Set(inCompounds.flatMap((form) => compounds.get(form) ?? []))].filter(count)
  const looserQueries = [
    ...together.map((all) => `(${all.map((form) => lexemeOf(base, form)).join(' & ')})`),
    ...joined.map((form) => lexemeOf(base, form)),
  ]
  const found = total(own)
  const havingLooser = total(joined) + together.reduce((sum, all) => sum + Math.min(...all.map(count)), 0)
  return {
    exact: anyOf(own.map((form) => lexemeOf(base, form))),
    heading: anyOf(inHeadings.map((form) => lexemeOf(base, form))),
    looser: anyOf(looserQueries),
    having: found,
    inHeadings: total(inHeadings),
    havingLooser,
    weight: weightOf(found === 0 ? havingLooser : found, chunks),
  }
}

const queryOf = ({ exact, looser }: Thing) => anyOf([exact, looser].filter((part) => part !== null))

const anyOf = (queries: readonly string[]) => (queries.length === 0 ? null : queries.join(' | '))

function candidatesOf(things: readonly Thing[]): { query: string; most: number }[] {
  const ways = things
    .flatMap(({ exact, heading, looser, having, inHeadings, havingLooser }) => [
      { query: exact, having },
      { query: heading, having: inHeadings },
      { query: looser, having: havingLooser },
    ])
    .filter((way): way is { query: string; having: number } => way.query !== null)
    .toSorted((a, b) => a.having - b.having)
  const rare: string[] = []
  let room = mostCandidates
  for (const { query, having } of ways) {
    if (having > room) break
    room -= having
    rare.push(query)
  }
  const found = rare.length === 0 ? [] : [{ query: rare.join(' | '), most: mostCandidates }]
  if (rare.length === ways.length) return found

  const common = things
    .filter(({ having, havingLooser }) => having + havingLooser <= mostIndexed)
    .toSorted((a, b) => a.having + a.havingLooser - b.having - b.havingLooser)
    .flatMap((thing) => queryOf(thing) ?? [])
    .map((query) => `(${query})`)
  const [rarest] = common
  const togethers = [common.length, 3, 2].filter((size) => size >= 2 && size <= common.length)
  return [
    ...found,
    ...[...new Set(togethers)].map((size) => ({
      query: common.slice(0, size).join(' & '),
      most: mostTogether,
    })),
    ...(rarest !== undefined && rare.length === 0 ? [{ query: rarest, most: mostTogether }] : []),
  ]
}
