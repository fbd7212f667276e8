import { statement, type Queryable, type Transaction } from '../../database/database.ts'

export interface NewLoginCode {
  digest: Buffer
  key: string | null
  member: string | null
  /** Digest of the cookie of the only browser that may redeem it. */
  browser: Buffer | null
  expires_at: Date
}

const insert = statement(
  `insert into login_codes (digest, key, member, browser, expires_at) values ($1, $2, $3, $4, $5)`,
)

export const insertLoginCode = (database: Queryable, code: NewLoginCode) =>
  database.rows(insert, code.digest, code.key, code.member, code.browser, code.expires_at)

const memberOfCode = statement<{ member: string | null }>(`select member from login_codes where digest = $1`)

export const findMemberOfCode = async (tx: Transaction, digest: Buffer) =>
  (await tx.row(memberOfCode, digest))?.member ?? undefined

const spend = statement<{ key: string | null; member: string | null }>(`
  delete from login_codes
  where digest = $1 and (browser is null or browser = $2) and expires_at > $3 returning key, member`)

/** The delete is the claim: of concurrent uses one gets the row, and only in its own browser. */
export const spendLoginCode = (tx: Transaction, digest: Buffer, browser: Buffer, now: Date) =>
  tx.row(spend, digest, browser, now)

const living = statement(`select from login_codes where digest = $1 and expires_at > $2`)

export const isUnspent = async (tx: Transaction, digest: Buffer, now: Date) =>
  (await tx.row(living, digest, now)) !== undefined

const forget = statement(`delete from login_codes where expires_at <= $1`)

export const deleteExpiredLoginCodes = (database: Queryable, now: Date) => database.rows(forget, now)
