import { statement, type Queryable, type Transaction } from '../../database/database.ts'

/** A person in an org. */
export interface Owner {
  org: string
  member: string
}

export interface NewCode {
  id: string
  number: string
  digest: Buffer
  askedAt: Date
  expiresAt: Date
}

const insert = statement(`
  with replaced as (update phone_codes set spent = true where org = $2 and member = $3 and not spent)
  insert into phone_codes (id, org, member, number, digest, asked_at, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7)`)

/** In place of any that was sent before. */
export const insertCode = (database: Queryable, { org, member }: Owner, code: NewCode) =>
  database.rows(insert, code.id, org, member, code.number, code.digest, code.askedAt, code.expiresAt)

export interface SentCode {
  id: string
  number: string
  digest: Buffer
  tries: number
  expires_at: string
}

const open = `
  select id, number, digest, tries, expires_at from phone_codes
  where org = $1 and member = $2 and not spent order by asked_at desc, id limit 1`

const find = statement<SentCode>(open)

export const findCode = (database: Queryable, { org, member }: Owner) => database.row(find, org, member)

const lock = statement<SentCode>(`${open} for update`)

/** Locked to the end of the transaction, so that simultaneous guesses are counted one after the other. */
export const lockCode = (tx: Transaction, { org, member }: Owner) => tx.row(lock, org, member)

const tried = statement(`update phone_codes set tries = tries + 1 where id = $1`)

export const countTry = (tx: Transaction, id: string) => tx.rows(tried, id)

const spend = statement(`update phone_codes set spent = true where org = $1 and member = $2 and not spent`)

export const spendCodes = (database: Queryable, { org, member }: Owner) => database.rows(spend, org, member)

const verify = statement(`
  insert into own_phones (org, member, number, verified_at) values ($1, $2, $3, $4)
  on conflict (org, member) do update set number = excluded.number, verified_at = excluded.verified_at`)

/** In place of the one they had. */
export const keepPhone = (tx: Transaction, { org, member }: Owner, number: string, now: Date) =>
  tx.rows(verify, org, member, number, now)

const phone = statement<{ number: string }>(`select number from own_phones where org = $1 and member = $2`)

export const findPhone = (database: Queryable, { org, member }: Owner) => database.row(phone, org, member)

const remove = statement<{ member: string }>(
  `delete from own_phones where org = $1 and member = $2 returning member`,
)

export const deletePhone = (tx: Transaction, { org, member }: Owner) => tx.rows(remove, org, member)

const forget = statement(`delete from phone_codes where expires_at <= $1`)

export const forgetOldCodes = (database: Queryable, now: Date) => database.rows(forget, now)
