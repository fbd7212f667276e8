import { statement, type Queryable } from '../../database/database.ts'
import type { SearchReach } from '../passages.ts'

export interface FoundBase {
  id: string
  base: string
  description: string
  /** A count, too large for a number in theory. */
  generation: string
}

const find = statement<FoundBase>(`
  select id, base, description, generation::text from knowledge_bases
  where org = $1 and env = $2 and base = any($3::text[])
    and ($4::text[] is null or agents is null or agents && $4)`)

export const findBases = (database: Queryable, { org, env, agents }: SearchReach, bases: readonly string[]) =>
  database.rows(find, org, env, bases, agents)

const read = statement<{ name: string; heading: string[]; text: string }>(`
  select documents.name, chunks.heading, chunks.text
  from knowledge_chunks chunks join knowledge_documents documents on documents.id = chunks.document
  where chunks.base = $1 order by documents.name, chunks.document, chunks.ordinal limit $2`)

/** In the order of their documents. */
export const readChunks = (database: Queryable, base: string, limit: number) =>
  database.rows(read, base, limit)
