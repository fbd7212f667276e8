import { statement, type Queryable } from '../../database/database.ts'

export interface SpentSignIn {
  org: string
  issuer: string
  secrets: Buffer
}

export interface NewSignIn extends SpentSignIn {
  digest: Buffer
  browser: Buffer
  expires_at: Date
}

const insert = statement(`
  insert into sso_sign_ins (digest, org, issuer, browser, secrets, expires_at) values ($1, $2, $3, $4, $5, $6)`)

export const insertSignIn = (database: Queryable, begun: NewSignIn) =>
  database.rows(insert, begun.digest, begun.org, begun.issuer, begun.browser, begun.secrets, begun.expires_at)

const spend = statement<SpentSignIn>(`
  delete from sso_sign_ins where digest = $1 and browser = $2 and expires_at > $3
  returning org, issuer, secrets`)

/** The delete is the claim: of concurrent callbacks one gets the row, and only in its own browser. */
export const spendSignIn = (database: Queryable, digest: Buffer, browser: Buffer, now: Date) =>
  database.row(spend, digest, browser, now)

const standing = statement(`select from sso_sign_ins where digest = $1 and expires_at > $2`)

export const isBegun = async (database: Queryable, digest: Buffer, now: Date) =>
  (await database.row(standing, digest, now)) !== undefined

const forget = statement(`delete from sso_sign_ins where expires_at <= $1`)

export const deleteExpiredSignIns = (database: Queryable, now: Date) => database.rows(forget, now)
