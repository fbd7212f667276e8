import type { MissedQuery } from '@switchroom/contract/knowledge'
import { statement, type Queryable } from '../../database/database.ts'
import type { SearchReach } from '../passages.ts'

const named = statement<{ id: string }>(`
  select id from knowledge_bases
  where org = $1 and env = $2 and base = $3 and ($4::text[] is null or agents is null or agents && $4)`)

export const findBaseId = (database: Queryable, { org, env, agents }: SearchReach, name: string) =>
  database.row(named, org, env, name, agents)

const missed = statement<MissedQuery & { id: number }>(`
  select m.id, e.entry::json -> 'data' ->> 'query' as query, m.agent, l.call, m.seq,
    (e.entry::json -> 'data' ->> 'best_score')::float8 as best_score, to_timestamp(e.ts) as at
  from knowledge_missed m
  join logs l on l.id = m.log
  join entries e on e.log = m.log and e.month = l.month and e.seq = m.seq
  where m.base = $1 and ($2::text[] is null or m.agent = any($2)) and m.id < coalesce($3, 9223372036854775807)
    and l.call is not null
  order by m.id desc limit $4`)

/** The newest first; what was erased from a log, or is past its life, is in none. */
export const listMissed = (
  database: Queryable,
  base: string,
  agents: readonly string[] | null,
  before: number | null,
  limit: number,
) => database.rows(missed, base, agents, before, limit)
