import { statement, type Queryable } from '../../database/database.ts'
import type { LinkedMember } from '../invitations/links.ts'

const resettable = statement<LinkedMember & { org_name: string }>(`
  select m.id, m.org, m.email, m.name, o.name as org_name
  from members m
  join orgs o on o.id = m.org
  left join identity_providers i on i.org = m.org
  where m.email = $1 and m.status = 'active' and not coalesce(i.required, false)
  order by m.ordinal
  limit 1
  for key share of m`)

/** The person's oldest seat that allows a password; in a transaction it is not removed before the end. */
export const findResettable = (database: Queryable, email: string) => database.row(resettable, email)
