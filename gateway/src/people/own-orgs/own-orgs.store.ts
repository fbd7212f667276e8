import type { OwnOrg } from '@switchroom/contract/sign-in'
import { statement, type Queryable } from '../../database/database.ts'

const others = statement<Pick<OwnOrg, 'org' | 'slug' | 'name'>>(`
  select o.id as org, o.slug, o.name from orgs o
  where not exists (select from members m where m.org = o.id and m.email = $1)
  order by o.ordinal`)

/** The orgs a person has no row in, oldest first. */
export const orgsWithout = (database: Queryable, email: string) => database.rows(others, email)
