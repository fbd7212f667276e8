import type { Account } from '@switchroom/contract/accounts'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'

// Rounded, to drop floating-point noise.
const amount = (parameter: string) => `round(${parameter}::numeric, 9)`
const fields = `plan, subscribed, credits::float8 as credits`

const insert = statement(
  `insert into accounts (org, plan, subscribed, credits) values ($1, $2, $3, ${amount('$4')})`,
)

export const insertAccount = (tx: Transaction, org: string, { plan, subscribed, credits }: Account) =>
  tx.rows(insert, org, plan, subscribed, credits)

// One statement, and so one snapshot: what is settled meanwhile is counted once.
const read = statement<Account>(`
  select plan, subscribed,
    (credits + coalesce((select sum(c.credits) from credit_changes c where c.org = $1), 0))::float8 as credits
  from accounts where org = $1`)

export const readAccount = (database: Queryable, org: string) => database.row(read, org)

const write = statement<Account>(`
  update accounts set plan = $2, subscribed = $3, credits = ${amount('$4')} where org = $1 returning ${fields}`)

export const replaceAccount = (database: Queryable, org: string, { plan, subscribed, credits }: Account) =>
  database.row(write, org, plan, subscribed, credits)

const lock = statement(`select from accounts where org = $1 for no key update`)

/** Locked to the end of the transaction: its changes are settled by no other. */
export const lockAccount = (tx: Transaction, org: string) => tx.rows(lock, org)

const drop = statement(`delete from credit_changes where org = $1`)

/** Of an account that is locked and replaced. */
export const deleteChanges = (tx: Transaction, org: string) => tx.rows(drop, org)

const take = statement<{ is_taken: boolean }>(`select take_credits($1, ${amount('$2')}) as is_taken`)

/** Takes the credits if there are enough. */
export const takeCredits = async (database: Queryable, org: string, credits: number) =>
  (await database.row(take, org, credits))?.is_taken ?? false

const add = statement(`
  insert into credit_changes (org, credits)
  select org, round(credits, 9) from unnest($1::text[], $2::numeric[]) as added (org, credits)`)

/** Locks nothing. */
export const addChanges = (database: Queryable, changes: readonly (readonly [string, number])[]) =>
  database.rows(
    add,
    changes.map(([org]) => org),
    changes.map(([, credits]) => credits),
  )

// Steps from org to org in the index, because an org may have many changes.
const unsettled = statement<{ org: string }>(`
  with recursive pending (org) as (
    (select org from credit_changes where org > $1 order by org limit 1)
    union all
    select (select c.org from credit_changes c where c.org > pending.org order by c.org limit 1)
    from pending where pending.org is not null
  )
  select org from pending where org is not null limit $2`)

/** Orgs with changes, after this one. */
export const listUnsettled = async (database: Queryable, after: string, limit: number) =>
  (await database.rows(unsettled, after, limit)).map(({ org }) => org)

const settle = statement<{ settled: number }>(`select settle_credits($1) as settled`)

/** Sums the changes of these orgs into their accounts, except accounts that another transaction has locked. */
export const settleChanges = async (database: Queryable, orgs: readonly string[]) =>
  (await database.row(settle, orgs))?.settled ?? 0
