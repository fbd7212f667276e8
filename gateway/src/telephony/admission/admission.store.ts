import type { Environment } from '@switchroom/contract/scopes'
import { checkOf, type Check } from '../../database/due-checks.ts'
import { statement, type Queryable } from '../../database/database.ts'
import type { Placed, Whose } from './number-fences.ts'
import { accountJoin, placedColumns } from './placed-columns.ts'

const placed = statement<Placed>(`
  select ${placedColumns}
  from numbers n ${accountJoin}
  where n.org = $1 and n.env = $2 and n.channel = 'phone'
  order by n.ordinal`)

/** The phone numbers of an org in an environment, from which its fences are drawn. */
export const listPlaced = (database: Queryable, { org, env }: Whose) => database.rows(placed, org, env)

const orgs = statement<{ org: string; numbers: number }>(`
  select org, count(number) as numbers
  from (select org, number from numbers where channel = 'phone' union all select org, null from admissions_due) as all_orgs
  group by org order by org`)

/** Orgs that have phone numbers, and how many, or that wait for an admission. */
export const listOrgs = (database: Queryable) => database.rows(orgs)

const admit = statement(`
  update numbers set admitted_at = case when number = any($3) then $4::timestamptz end
  where org = $1 and env = $2 and (number = any($3)) = (admitted_at is null)`)

/** The media plane admits these of the org in the environment, and no others. */
export const setAdmitted = (
  database: Queryable,
  { org, env }: Whose,
  numbers: readonly string[],
  now: Date,
) => database.rows(admit, org, env, numbers, now)

const unadmit = statement(`
  update numbers set admitted_at = null where org = $1 and env = $2 and admitted_at is not null`)

export const setUnadmitted = (database: Queryable, { org, env }: Whose) => database.rows(unadmit, org, env)

const unadmitAll = statement(
  `update numbers set admitted_at = null where env = $1 and admitted_at is not null`,
)

/** For a media plane that cannot be reached: what it admits is not known. */
export const setAllUnadmitted = (database: Queryable, env: Environment) => database.rows(unadmitAll, env)

const request = statement(`
  insert into admissions_due as due (org, since) values ($1, $2)
  on conflict (org) do update set asked = due.asked + 1, since = excluded.since`)

export const requestAdmission = (database: Queryable, org: string, now: Date) =>
  database.rows(request, org, now)

const due = statement<{ asked: number }>(`select asked from admissions_due where org = $1`)

/** How many requests are due. */
export const findDue = async (database: Queryable, org: string) => (await database.row(due, org))?.asked

const settle = statement(`delete from admissions_due where org = $1 and asked = $2`)

/** Unless another request came meanwhile. */
export const settleAdmission = (database: Queryable, org: string, asked: number | undefined) =>
  database.rows(settle, org, asked)

const anyDue = statement<{ org: string }>(`select org from admissions_due where since <= $1 limit 1`)

export const anyDueCheck = (before: Date): Check => checkOf(anyDue, before)

export const isAnyDue = async (database: Queryable, before: Date) =>
  (await database.row(anyDue, before)) !== undefined
