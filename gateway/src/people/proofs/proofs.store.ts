import { statement, type Transaction } from '../../database/database.ts'

export interface Person {
  verified: boolean
  password_hash: string | null
}

// Weaker than `for update`: a new invitation or login code of a row need not wait for it.
const lockRows = statement(`select from members where email = $1 order by id for no key update`)
const keepPerson = statement(`insert into persons (email) values ($1) on conflict do nothing`)
const lockRow = statement<Person>(
  `select verified, password_hash from persons where email = $1 for no key update`,
)

/** Every row of the address and then its person, created if new, locked to the end of the transaction. */
export async function lockPerson(tx: Transaction, email: string): Promise<Person | undefined> {
  await tx.rows(lockRows, email)
  await tx.rows(keepPerson, email)
  return tx.row(lockRow, email)
}

const verify = statement(`update persons set verified = true, password_hash = null where email = $1`)

export const markProven = (tx: Transaction, email: string) => tx.rows(verify, email)

const reopen = statement<{ id: string; org: string }>(`
  update members set status = 'invited' where email = $1 and status = 'active' and id is distinct from $2
  returning id, org`)

/** Members who joined before the proof become invited again; a disabled one stays disabled. */
export const reopenSeats = (tx: Transaction, email: string, except: string | undefined) =>
  tx.rows(reopen, email, except ?? null)

const deleteLinks = statement(`
  delete from invitations i using members m
  where m.id = i.member and m.email = $1 and (i.handed or i.purpose = 'reset')`)

/** Every link except the invitations that were only mailed to the address. */
export const deleteHandedLinks = (tx: Transaction, email: string) => tx.rows(deleteLinks, email)

const deleteCodes = statement(`
  delete from login_codes c using members m where m.id = c.member and m.email = $1`)

export const deleteLoginCodes = (tx: Transaction, email: string) => tx.rows(deleteCodes, email)
