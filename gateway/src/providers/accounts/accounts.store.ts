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

const read = statement<Account>(`select ${fields} from accounts where org = $1`)

export const readAccount = (database: Queryable, org: string) => database.row(read, org)

const write = statement<Account>(`
  update accounts set plan = $2, subscribed = $3, credits = ${amount('$4')} where org = $1 returning ${fields}`)

export const replaceAccount = (database: Queryable, org: string, { plan, subscribed, credits }: Account) =>
  database.row(write, org, plan, subscribed, credits)

const takeIfEnough = statement<{ org: string }>(`
  update accounts set credits = credits - ${amount('$2')}
  where org = $1 and credits >= ${amount('$2')} returning org`)

export const takeCredits = (database: Queryable, org: string, credits: number) =>
  database.row(takeIfEnough, org, credits)

const add = statement(`update accounts set credits = credits + ${amount('$2')} where org = $1`)

export const addCredits = (database: Queryable, org: string, credits: number) =>
  database.rows(add, org, credits)
