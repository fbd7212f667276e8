import type { DocumentFormat, DocumentState } from '@switchroom/contract/knowledge-names'
import { checkOf, type Check } from '../../database/due-checks.ts'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'
import type { BlobPlace } from '../../foundation/blobs/blob-store.ts'
import type { SearchedBase } from '../passages.ts'

export interface ClaimedDocument {
  id: string
  base: string
  org: string
  name: string
  format: DocumentFormat
  url: string | null
  sealed: Buffer | null
  etag: string | null
  last_modified: string | null
  place: BlobPlace | null
  blob: string | null
  digest: string | null
  /** Of what its chunks were made of. */
  read_digest: string | null
  chunks: number
  is_fetch_due: boolean
  /** As it was before: what is ready and due has an address that is fetched again. */
  was: DocumentState
  /** This one included. */
  attempts: number
}

const due = statement(`select from knowledge_documents where due_at <= $1`)

export const dueCheck = (now: Date): Check => checkOf(due, now)

// Orgs take turns: of those with a document that is due, the one whose last was taken longest ago. The list of orgs is
// read by steps through the index, so that it costs as much as there are orgs, however many documents wait.
const claim = statement<ClaimedDocument>(`
  with recursive orgs_with_any as (
    (select org from knowledge_documents where due_at is not null order by org limit 1)
    union all
    select (
      select d.org from knowledge_documents d where d.due_at is not null and d.org > o.org order by d.org limit 1
    ) from orgs_with_any o where o.org is not null
  ), next as (
    select d.id, d.state
    from orgs_with_any o
    left join knowledge_turns t on t.org = o.org
    cross join lateral (
      select id from knowledge_documents where org = o.org and due_at <= $1 order by due_at limit 4
    ) first
    join knowledge_documents d on d.id = first.id and d.due_at <= $1
    where o.org is not null
    order by t.taken_at nulls first, d.due_at limit 1
    for update of d skip locked
  ), turn as (
    insert into knowledge_turns (org, taken_at) select org, clock_timestamp() from knowledge_documents
    where id in (select id from next)
    on conflict (org) do update set taken_at = excluded.taken_at
  )
  update knowledge_documents d
  set state = 'reading', reader = $3, due_at = $2,
    attempts = case when next.state in ('ready', 'failed') then 1 else d.attempts + 1 end
  from next where d.id = next.id
  returning d.id, d.base, d.org, d.name, d.format, d.url, d.sealed, d.etag, d.last_modified, d.place, d.blob,
    encode(d.digest, 'hex') as digest,
    encode(d.read_digest, 'hex') as read_digest, d.chunks, d.is_fetch_due, next.state as was, d.attempts`)

/** A document that waits, taken until then. */
export const claimDocument = (database: Queryable, now: Date, until: Date, reader: string) =>
  database.row(claim, now, until, reader)

/** What shows that a document is still this reader's: replaced, deleted or taken over, it is another's. */
export interface Claim {
  id: string
  reader: string
  attempts: number
}

const isClaimed = `id = $1 and reader = $2 and attempts = $3 and state = 'reading'`

const extend = statement<{ id: string }>(`
  update knowledge_documents set due_at = $4 where ${isClaimed} returning id`)

/** False if it is another's by now. */
export const extendClaim = async (database: Queryable, { id, reader, attempts }: Claim, until: Date) =>
  (await database.row(extend, id, reader, attempts, until)) !== undefined

const lock = statement<{ bytes: number; chunks: number; refetch_s: number | null }>(`
  select bytes, chunks, refetch_s from knowledge_documents where ${isClaimed} for update`)

/** Undefined if it is another's by now. */
export const lockClaimed = (tx: Transaction, { id, reader, attempts }: Claim) =>
  tx.row(lock, id, reader, attempts)

const base = statement<SearchedBase>(`
  select id, org, env, base, language, embed from knowledge_bases where id = $1`)

export const findSearchedBase = (database: Queryable, id: string) => database.row(base, id)

const settle = statement(`
  update knowledge_documents
  set state = $2, why = $3, due_at = $4, chunks = $5, is_fetch_due = false, reader = null, attempts = 0,
    read_digest = case when $2 = 'ready' then digest else read_digest end
  where id = $1`)

/** Read, or given up: due again only to be fetched again. */
export const settleDocument = (
  tx: Transaction,
  id: string,
  {
    state,
    why,
    dueAt,
    chunks,
  }: { state: 'ready' | 'failed'; why: string | null; dueAt: Date | null; chunks: number },
) => tx.rows(settle, id, state, why, dueAt, chunks)

const release = statement(`
  update knowledge_documents set state = 'queued', due_at = $4, reader = null, why = $5, attempts = attempts - $6
  where ${isClaimed}`)

/** It waits again; `uncounted` attempts count as none. */
export const releaseClaim = (
  database: Queryable,
  { id, reader, attempts }: Claim,
  { dueAt, why, uncounted }: { dueAt: Date; why: string | null; uncounted: 0 | 1 },
) => database.rows(release, id, reader, attempts, dueAt, why, uncounted)

const unchanged = statement(`
  update knowledge_documents
  set state = 'ready', why = null, fetched_at = $2::timestamptz, due_at = $2::timestamptz + refetch_s * interval '1 second', is_fetch_due = false,
    reader = null, attempts = 0
  where id = $1`)

/** Its address answers what was read. */
export const settleUnchanged = (tx: Transaction, id: string, now: Date) => tx.rows(unchanged, id, now)

const fetched = statement(`
  update knowledge_documents
  set format = $2, place = $3, blob = $4, bytes = $5, digest = $6, etag = $7, last_modified = $8, fetched_at = $9,
    is_fetch_due = false
  where id = $1`)

/** What is read next, also by another gateway if this one dies. */
export const keepFetched = (
  tx: Transaction,
  id: string,
  to: {
    format: DocumentFormat
    place: BlobPlace
    blob: string
    bytes: number
    digest: Buffer
    etag: string | null
    lastModified: string | null
  },
  now: Date,
) => tx.rows(fetched, id, to.format, to.place, to.blob, to.bytes, to.digest, to.etag, to.lastModified, now)
