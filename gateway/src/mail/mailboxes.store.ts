import type { Mailbox, MailSecurity } from '@switchroom/contract/mail'
import { statement, type Queryable } from '../database/database.ts'

export interface MailboxRow extends Omit<Mailbox, 'configured'> {
  owner: string
  host: string
  port: number
  security: MailSecurity
  password: Buffer | null
  from: string
  kept_at: string
}

const keep = statement(`
  insert into mailboxes (owner, host, port, security, username, password, "from", kept_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict (owner) do update
  set (host, port, security, username, password, "from", verified_at, last_error, kept_at)
    = (excluded.host, excluded.port, excluded.security, excluded.username, excluded.password, excluded."from", null, null,
      excluded.kept_at)`)

type Kept = Omit<MailboxRow, 'verified_at' | 'last_error' | 'kept_at'>

/** Whole: nothing of the account before stays, nor what was reported of it. */
export const keepMailbox = (
  database: Queryable,
  { owner, host, port, security, username, password, from }: Kept,
  now: Date,
) => database.rows(keep, owner, host, port, security, username, password, from, now)

const byOwner = statement<MailboxRow>(`
  select owner, host, port, security, username, password, "from", verified_at, last_error, kept_at
  from mailboxes where owner = $1`)

export const findMailbox = (database: Queryable, owner: string) => database.row(byOwner, owner)

const forget = statement<{ host: string }>(`delete from mailboxes where owner = $1 returning host`)

/** Answers nothing when there was none. */
export const forgetMailbox = (database: Queryable, owner: string) => database.row(forget, owner)

const report = statement(`
  update mailboxes set verified_at = $3, last_error = $4
  where owner = $1 and kept_at = $2`)

/** A letter that left by an account since replaced says nothing of the new one. */
export const reportLetter = (
  database: Queryable,
  { owner, kept_at }: MailboxRow,
  verified_at: Date | null,
  last_error: string | null,
) => database.rows(report, owner, kept_at, verified_at, last_error)
