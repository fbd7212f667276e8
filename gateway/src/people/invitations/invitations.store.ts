import type { Member } from '@switchroom/contract/members'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'

export interface NewInvitation {
  digest: Buffer
  member: string
  purpose: 'invitation' | 'reset'
  handed: boolean
  proves_address: boolean
  expires_at: Date
}

const insert = statement(`
  insert into invitations (digest, member, purpose, handed, proves_address, expires_at)
  values ($1, $2, $3, $4, $5, $6)`)

export const insertInvitation = (tx: Transaction, made: NewInvitation) =>
  tx.rows(insert, made.digest, made.member, made.purpose, made.handed, made.proves_address, made.expires_at)

/** A link with its member, and the facts that decide whether it is still valid. */
export interface StandingInvitation extends Omit<Member, 'scopes'> {
  org: string
  purpose: 'invitation' | 'reset'
  handed: boolean
  proves_address: boolean
  slug: string
  is_provider_only: boolean
  has_password: boolean
  is_elsewhere: boolean
  /** A member row of the address, in any org, has the operator's flag. */
  is_of_operator: boolean
}

const standing = statement<StandingInvitation>(`
  select i.purpose, i.handed, i.proves_address, p.password_hash is not null as has_password, o.slug,
    coalesce(ip.required, false) as is_provider_only,
    exists (select from members e where e.email = m.email and e.org <> m.org) as is_elsewhere,
    exists (select from members f where f.email = m.email and f.operator) as is_of_operator,
    m.id, m.org, m.email, m.name, m.role, m.agents, m.status, m.operator, m.production, p.verified
  from invitations i
  join members m on m.id = i.member
  join persons p on p.email = m.email
  join orgs o on o.id = m.org
  left join identity_providers ip on ip.org = m.org
  where i.digest = $1 and i.expires_at > $2`)

export const findInvitation = (database: Queryable, digest: Buffer, now: Date) =>
  database.row(standing, digest, now)

const spend = statement(`
  delete from invitations i using members m
  where m.id = i.member and m.email = $2 and (i.member = $1 or i.purpose = 'reset')`)

/** The used link, its twin, and every reset link of the same person. */
export const spendInvitations = (tx: Transaction, member: string, email: string) =>
  tx.rows(spend, member, email)

const setPassword = statement(`
  update persons set password_hash = $2, verified = verified and $3 where email = $1`)

/** A password set without proof makes the address unproven. */
export const keepPassword = (tx: Transaction, email: string, hash: string, provesAddress: boolean) =>
  tx.rows(setPassword, email, hash, provesAddress)

const activate = statement<{ id: string }>(`update members set status = 'active' where id = $1 returning id`)

/** Undefined if the member was removed meanwhile. */
export const takeSeat = (tx: Transaction, member: string) => tx.row(activate, member)

const forget = statement(`delete from invitations where expires_at <= $1`)

export const deleteExpiredInvitations = (database: Queryable, now: Date) => database.rows(forget, now)
