import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Queryable } from '../../database/database.ts'
import type { Placed } from './number-fences.ts'
import { accountJoin, placedColumns } from './placed-columns.ts'

export interface PlacedOfOrg extends Placed {
  org: string
  env: Environment
  is_phone: boolean
  /** Whether a media plane is said to admit it. */
  is_admitted: boolean
}

const placed = statement<PlacedOfOrg>(`
  select n.org, n.env, n.channel = 'phone' as is_phone, n.admitted_at is not null as is_admitted, ${placedColumns}
  from numbers n ${accountJoin}
  where n.org = any($1::text[]) and (n.channel = 'phone' or n.admitted_at is not null)
  order by n.org, n.ordinal`)

/** The numbers of several orgs from which fences are drawn, and any other that is said to be admitted. */
export const listPlaced = (database: Queryable, orgs: readonly string[]) => database.rows(placed, orgs)

const due = statement<{ org: string; asked: number }>(`
  select org, asked from admissions_due where org = any($1::text[])`)

export const listDue = (database: Queryable, orgs: readonly string[]) => database.rows(due, orgs)

const admit = statement(`
  update numbers n set admitted_at = changed.at
  from (
    select unnest($1::text[]), $3::timestamptz union all select unnest($2::text[]), null
  ) as changed (number, at)
  where n.number = changed.number`)

/** The media plane admits the first of these numbers, and not the others. */
export const setAdmitted = (
  database: Queryable,
  admitted: readonly string[],
  others: readonly string[],
  now: Date,
) => database.rows(admit, admitted, others, now)

const settle = statement(`
  delete from admissions_due d using unnest($1::text[], $2::bigint[]) as done (org, asked)
  where d.org = done.org and d.asked = done.asked`)

/** Unless another request came meanwhile. */
export const settleAdmissions = (database: Queryable, done: readonly { org: string; asked: number }[]) =>
  database.rows(
    settle,
    done.map(({ org }) => org),
    done.map(({ asked }) => asked),
  )
