import { statement, type Queryable, type Transaction } from '../database/database.ts'

const locked = statement<{ slug: string }>(
  `select slug from agents where org = $1 and slug = $2 for no key update`,
)

/** Locked, so that of two concurrent sets the second sees the first. */
export const lockAgent = (tx: Transaction, org: string, slug: string) => tx.row(locked, org, slug)

const insert = statement(
  `insert into agents (org, slug, created_at) values ($1, $2, $3) on conflict do nothing`,
)

export const insertAgent = (tx: Transaction, org: string, slug: string, now: Date) =>
  tx.rows(insert, org, slug, now)

const counted = statement<{ agents: number }>(`select count(*) as agents from agents where org = $1`)

export const countAgents = async (database: Queryable, org: string) =>
  (await database.row(counted, org))?.agents ?? 0

const listed = statement<{ slug: string }>(`select slug from agents where org = $1 order by slug`)

export const listAgents = async (database: Queryable, org: string) =>
  (await database.rows(listed, org)).map(({ slug }) => slug)
