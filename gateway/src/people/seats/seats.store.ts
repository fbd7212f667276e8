import type { Role } from '@switchroom/contract/scopes'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'
import type { SignInEligibility } from './sign-in-eligibility.ts'

/** A person's member row, with the facts that decide whether they may sign in. */
export interface Seat extends SignInEligibility {
  id: string
  org: string
  org_name: string
  name: string
  role: Role
}

const seatsOfPerson = statement<Seat>(`
  select m.id, m.org, m.email, m.name, m.role, m.status, o.slug, o.name as org_name,
    coalesce(i.required, false) as is_provider_only,
    p.verified and p.password_hash is not null and exists (
      select from members e where e.email = m.email and e.org <> m.org and e.status in ('active', 'disabled')
    ) as is_proven_elsewhere
  from members m
  join persons p on p.email = m.email
  join orgs o on o.id = m.org
  left join identity_providers i on i.org = m.org
  where m.email = $1
  order by m.ordinal`)

export const seatsOf = (database: Queryable, email: string) => database.rows(seatsOfPerson, email)

const lockRow = statement(`select from members where id = $1 for update`)
export const lockSeat = (tx: Transaction, id: string) => tx.rows(lockRow, id)

const activate = statement(`update members set status = 'active' where id = $1`)
const spendLinks = statement(`delete from invitations where member = $1`)

/** Makes the seat active and voids its invitation links. */
export async function takeSeat(tx: Transaction, id: string) {
  await tx.rows(activate, id)
  await tx.rows(spendLinks, id)
}
