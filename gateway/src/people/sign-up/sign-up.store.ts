import type { MemberStatus } from '@switchroom/contract/members'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'

export interface PendingSignUp {
  email: string
  slug: string
  name: string
  person: string
  device: string
  password_hash: string
  code_mac: Buffer
  expires_at: Date | string
}

const keep = statement(`
  insert into sign_ups (email, slug, name, person, device, password_hash, code_mac, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict (email) do update set slug = excluded.slug, name = excluded.name, person = excluded.person,
    device = excluded.device, password_hash = excluded.password_hash, code_mac = excluded.code_mac, tries = 0,
    expires_at = excluded.expires_at`)

/** A later sign-up of the same address replaces it, code and tries. */
export const keepPending = (tx: Transaction, pending: PendingSignUp) =>
  tx.rows(
    keep,
    pending.email,
    pending.slug,
    pending.name,
    pending.person,
    pending.device,
    pending.password_hash,
    pending.code_mac,
    pending.expires_at,
  )

const locked = statement<PendingSignUp & { tries: number; expires_at: string }>(`
  select email, slug, name, person, device, password_hash, code_mac, tries, expires_at
  from sign_ups where email = $1 for update`)

/** Locked, so that concurrent tries cannot exceed the limit. */
export const lockPending = (tx: Transaction, email: string) => tx.row(locked, email)

const pendingOf = statement(`select from sign_ups where email = $1`)

export const isPending = async (database: Queryable, email: string) =>
  (await database.row(pendingOf, email)) !== undefined

const countTry = statement(`update sign_ups set tries = tries + 1 where email = $1`)

export const countWrongTry = (tx: Transaction, email: string) => tx.rows(countTry, email)

const remove = statement(`delete from sign_ups where email = $1`)

export const deletePending = (tx: Transaction, email: string) => tx.rows(remove, email)

export interface KnownPerson {
  password_hash: string | null
  verified: boolean
  statuses: MemberStatus[]
}

const known = statement<KnownPerson>(`
  select p.password_hash, p.verified, array(select m.status from members m where m.email = p.email) as statuses
  from persons p where p.email = $1`)

export const findPerson = (database: Queryable, email: string) => database.row(known, email)

const isTaken = statement(`select from orgs where slug = $1`)

export const isSlugTaken = async (database: Queryable, slug: string) =>
  (await database.row(isTaken, slug)) !== undefined

const setPassword = statement(`
  update persons set password_hash = coalesce(password_hash, $2) where email = $1`)

/** A proven person keeps their password. */
export const keepPassword = (tx: Transaction, email: string, hash: string) =>
  tx.rows(setPassword, email, hash)

const insertAdmin = statement(`
  insert into members (id, org, email, name, role, status, production, created_at)
  values ($1, $2, $3, $4, 'admin', 'active', true, $5)`)

export const seatFounder = (
  tx: Transaction,
  id: string,
  org: string,
  email: string,
  name: string,
  at: Date,
) => tx.rows(insertAdmin, id, org, email, name, at)

const forget = statement(`delete from sign_ups where expires_at <= $1`)

export const deleteExpiredSignUps = (database: Queryable, before: Date) => database.rows(forget, before)
