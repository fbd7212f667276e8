import { statement, type Queryable, type Transaction } from '../../database/database.ts'
import type { Whose } from '../admission/number-fences.ts'

const managed = statement<{ count: number }>(`
  select count(*)::int as count from numbers where org = $1 and env = $2 and managed`)

/** What the platform bought for an org and still has in the environment. */
export const countManaged = async (database: Queryable, { org, env }: Whose) =>
  (await database.row(managed, org, env))?.count ?? 0

const inBoth = statement<{ count: number }>(`
  select count(*)::int as count from numbers where org = $1 and managed`)

export const countManagedInBoth = async (database: Queryable, org: string) =>
  (await database.row(inBoth, org))?.count ?? 0

export interface Purchase {
  id: string
  agent: string
  /** What was searched for. */
  asked: string
  number: string | null
}

const insert = statement(`
  insert into number_purchases (id, org, env, agent, asked, taken_at) values ($1, $2, $3, $4, $5, $6)`)

export const insertPurchase = (
  database: Queryable,
  { org, env }: Whose,
  { id, agent, asked }: Omit<Purchase, 'number'>,
  now: Date,
) => database.rows(insert, id, org, env, agent, asked, now)

const choose = statement(`update number_purchases set number = $2 where id = $1`)

/** Before it is paid for. */
export const setChosen = (database: Queryable, id: string, number: string) =>
  database.rows(choose, id, number)

const remove = statement(`delete from number_purchases where id = $1`)

export const deletePurchase = (database: Queryable | Transaction, id: string) => database.rows(remove, id)

const unfinished = statement<Purchase>(`
  select id, agent, asked, number from number_purchases where org = $1 and env = $2 order by taken_at`)

/** Under the org's lock they are those of gateways that died on the way, or that the carrier left in the dark. */
export const listPurchases = (database: Queryable, { org, env }: Whose) => database.rows(unfinished, org, env)
