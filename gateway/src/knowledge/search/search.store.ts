import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Queryable } from '../../database/database.ts'
import type { SearchedBase, SearchReach } from '../passages.ts'
import { mostSampled, type LookUps } from './look-ups.ts'

export interface BaseRow extends SearchedBase {
  number: number
  generation: number
  /** The most frequent ones of its chunks first. */
  languages: { language: string; chunks: number; words: number }[]
  /** Counts the changes of the org's settings. */
  epoch: number
}

const named = statement<BaseRow & { env: Environment }>(`
  select b.id, b.number, b.org, b.env, b.base, b.language, b.embed, b.generation,
    coalesce((
      select json_agg(json_build_object('language', language, 'chunks', chunks, 'words', words)
        order by chunks desc, language)
      from knowledge_languages where base = b.number
    ), '[]') as languages,
    coalesce((select epoch from settings_epochs where org = b.org), 0) as epoch
  from knowledge_bases b
  where b.org = $1 and b.env = $2 and b.base = $3
    and ($4::text[] is null or b.agents is null or b.agents && $4)`)

export const findBase = (database: Queryable, { org, env, agents }: SearchReach, name: string) =>
  database.row(named, org, env, name, agents)

export interface TermRow {
  /** Of a compound: the lexeme that begins or ends it. */
  part: string | null
  term: string
  chunks: number
}

const compoundsOfOne = 20

// The highest character ends the range of what begins with a lexeme.
const terms = statement<TermRow>(`
  select null as part, term, chunks from knowledge_terms where base = $1 and term = any($2::text[])
  union all
  select part, begun.term, begun.chunks from unnest($3::text[]) as part cross join lateral (
    select term, chunks from knowledge_terms
    where base = $1 and term > part collate "C" and term < (part || U&'\\+10FFFF') collate "C" limit ${compoundsOfOne}
  ) as begun
  union all
  select part, ended.term, ended.chunks from unnest($3::text[]) as part cross join lateral (
    select term, chunks from knowledge_terms
    where base = $1 and reverse(term) collate "C" > reverse(part) collate "C"
      and reverse(term) collate "C" < (reverse(part) || U&'\\+10FFFF') collate "C" and term not like '^%'
    limit ${compoundsOfOne}
  ) as ended`)

/** How common lexemes are in a base, and the compounds that some of them begin or end. */
export const findTerms = (
  database: Queryable,
  base: number,
  lexemes: readonly string[],
  parts: readonly string[],
) => database.rows(terms, base, lexemes, parts)

export interface PassageRow {
  chunk: string
  document: string
  name: string
  heading: string[]
  text: string
  /** In hexadecimal digits. */
  digest: string
  score: number
}

const ranked = statement<PassageRow>(`
  select c.id as chunk, c.document, d.name, c.heading, c.text, encode(c.digest, 'hex') as digest, r.score
  from knowledge_best(
    $2::text[]::tsquery[], $3::integer[], $10::text::tsquery, $11, $12,
    $4::text[]::tsquery[], $5::text[]::tsquery[], $6::text[]::tsquery[], $7::float8[], $8, $9) r
  join knowledge_chunks c on c.base = $1 and c.document = r.document and c.ordinal = r.ordinal
  join knowledge_documents d on d.id = c.document
  order by r.score desc, d.name, c.ordinal`)

export const rankPassages = (
  database: Queryable,
  { id, number }: BaseRow,
  { lookups, limits, everywhere, exact, headings, looser, weights }: LookUps,
  usualLength: number,
  most: number,
) =>
  database.rows(
    ranked,
    id,
    lookups,
    limits,
    exact,
    headings,
    looser,
    weights,
    usualLength,
    most,
    everywhere,
    number,
    mostSampled,
  )
