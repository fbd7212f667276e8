import type { BlobPlace } from '../../foundation/blobs/blob-store.ts'
import { statement, type Queryable, type Transaction } from '../database.ts'

export interface Removal {
  place: BlobPlace
  key: string
  is_upload: boolean
  tries: number
}

const begin = statement(`
  insert into blob_removals (place, key, due_at, is_upload) values ($1, $2, $3, true)`)

export const beginUpload = (database: Queryable, place: BlobPlace, key: string, givenUpAt: Date) =>
  database.rows(begin, place, key, givenUpAt)

const end = statement<{ key: string }>(`
  delete from blob_removals where place = $1 and key = $2 and is_upload returning key`)

/** False if it was given up. */
export const endUpload = async (tx: Transaction, place: BlobPlace, key: string) =>
  (await tx.row(end, place, key)) !== undefined

const fail = statement(
  `update blob_removals set due_at = '-infinity' where place = $1 and key = $2 and is_upload`,
)

export const failUpload = (database: Queryable, place: BlobPlace, key: string) =>
  database.rows(fail, place, key)

const take = statement<Removal>(`
  update blob_removals b set due_at = $3, tries = tries + 1
  from (
    select place, key from blob_removals where due_at <= $2 and place = any($1::text[])
    order by due_at limit $4 for update skip locked
  ) due
  where b.place = due.place and b.key = due.key
  returning b.place, b.key, b.is_upload, b.tries`)

/** Those that are due, which no other gateway takes until the given time. */
export const takeDue = (
  database: Queryable,
  places: readonly BlobPlace[],
  now: Date,
  until: Date,
  limit: number,
) => database.rows(take, places, now, until, limit)

const forget = statement(`
  delete from blob_removals where place = $1 and key = any($2::text[])`)

export const forgetRemoved = (database: Queryable, place: BlobPlace, keys: readonly string[]) =>
  database.rows(forget, place, keys)

const postpone = statement(`
  update blob_removals set due_at = $3 where place = $1 and key = any($2::text[])`)

export const postponeRemovals = (
  database: Queryable,
  place: BlobPlace,
  keys: readonly string[],
  until: Date,
) => database.rows(postpone, place, keys, until)
