import { usualCaps, type CapName } from '@switchroom/contract/orgs'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'

export interface Held {
  bases: number
  documents: number
  bytes: number
  chunks: number
}

const begin = statement(`insert into knowledge_held (org) values ($1) on conflict do nothing`)

export const beginCounting = (tx: Transaction, org: string) => tx.rows(begin, org)

const bytesInGb = 1024 ** 3
const most = (cap: CapName, times = 1) => `cap_of($1, '${cap}', ${usualCaps[cap]})::bigint * ${times}`
const mosts = `${most('bases')} as bases, ${most('documents')} as documents,
  ${most('documents_gb', bytesInGb)} as bytes, ${most('chunks')} as chunks`
const fits = (held: keyof Held, added: string) =>
  `(${added} <= 0 or most.${held} is null or held.${held} + ${added} <= most.${held})`

// The row is locked, so that of several at once each counts the one before it.
const add = statement<{ org: string }>(`
  update knowledge_held held
  set bases = held.bases + $2, documents = held.documents + $3, bytes = held.bytes + $4, chunks = held.chunks + $5
  from (select ${mosts}) most
  where org = $1 and ${fits('bases', '$2')} and ${fits('documents', '$3')} and ${fits('bytes', '$4')}
    and ${fits('chunks', '$5')}
  returning org`)

/** False past a cap of the org. */
export const addHeld = async (tx: Transaction, org: string, { bases, documents, bytes, chunks }: Held) =>
  (await tx.row(add, org, bases, documents, bytes, chunks)) !== undefined

const room = statement<Record<`most_${keyof Held}`, number | null> & Held>(`
  select held.bases, held.documents, held.bytes, held.chunks, most.bases as most_bases,
    most.documents as most_documents, most.bytes as most_bytes, most.chunks as most_chunks
  from (select ${mosts}) most, knowledge_held held where held.org = $1`)

export const findRoom = (database: Queryable, org: string) => database.row(room, org)
