import { checkOf, type Check } from '../database/due-checks.ts'
import { statement, type Queryable, type Transaction } from '../database/database.ts'

export interface LetterRow {
  id: string
  /** An org's id, or `platform`. */
  owner: string
  letter: Buffer
  tries: number
  /** When any gateway may take it again. */
  due_at: string
  expires_at: string
}

const insert = statement(`
  insert into letters (id, owner, letter, due_at, expires_at) values ($1, $2, $3, $4, $5)`)

export const insertLetter = (
  tx: Transaction,
  { id, owner, letter }: Pick<LetterRow, 'id' | 'owner' | 'letter'>,
  due: Date,
  expires: Date,
) => tx.rows(insert, id, owner, letter, due, expires)

const claim = statement<LetterRow>(`
  update letters set due_at = $2
  where id = (
    select id from letters
    where due_at <= $1 and owner <> all($3::text[])
    order by due_at limit 1
    for update skip locked
  )
  returning id, owner, letter, tries, due_at, expires_at`)

const due = statement('select from letters where due_at <= $1')

export const dueCheck = (now: Date): Check => checkOf(due, now)

/** The letter that waits longest, taken until then; none of these owners. */
export const claimLetter = (database: Queryable, now: Date, until: Date, exceptOwners: string[]) =>
  database.row(claim, now, until, exceptOwners)

const postpone = statement(`
  update letters set tries = tries + 1, due_at = $3
  where id = $1 and due_at = $2`)

/** Only while the caller's claim holds. */
export const postponeLetter = (database: Queryable, { id, due_at }: LetterRow, until: Date) =>
  database.rows(postpone, id, due_at, until)

const remove = statement(`delete from letters where id = $1`)

export const deleteLetter = (database: Queryable, id: string) => database.rows(remove, id)
