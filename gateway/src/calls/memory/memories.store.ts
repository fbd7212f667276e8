import type { Fact } from '@switchroom/session/parts'
import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'

/** Whose memories: an agent's, of one contact. */
export interface Remembered {
  org: string
  env: Environment
  agent: string
  contact: string
}

const all = statement<Fact>(`
  select id, text from memories where org = $1 and env = $2 and agent = $3 and contact = $4 order by ordinal`)

export const readFacts = (database: Queryable, { org, env, agent, contact }: Remembered) =>
  database.rows(all, org, env, agent, contact)

const keep = statement(`
  insert into memories (org, env, agent, contact, id, text, learned_at)
  select $1, $2, $3, $4, id, text, $7 from unnest($5::text[], $6::text[]) as learned (id, text)
  on conflict (org, env, agent, contact, id) do update set text = excluded.text, learned_at = excluded.learned_at`)

export const keepFacts = (
  tx: Transaction,
  { org, env, agent, contact }: Remembered,
  facts: readonly Fact[],
  now: Date,
) =>
  tx.rows(
    keep,
    org,
    env,
    agent,
    contact,
    facts.map(({ id }) => id),
    facts.map(({ text }) => text),
    now,
  )

const remove = statement(`
  delete from memories where org = $1 and env = $2 and agent = $3 and contact = $4 and id = any($5)`)

export const deleteFacts = (
  tx: Transaction,
  { org, env, agent, contact }: Remembered,
  ids: readonly string[],
) => tx.rows(remove, org, env, agent, contact, ids)
