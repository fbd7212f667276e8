import type { Environment } from '@switchroom/contract/scopes'
import { usualCaps } from '@switchroom/contract/orgs'
import type { BlobPlace } from '../../foundation/blobs/blob-store.ts'
import type { RecordingFormat } from './recording-formats.ts'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'

const gone = statement<{ call: string }>(`
  select id as call from calls where id = $1 and (erased or forgotten)`)

/** Whether the call's entries were erased or deleted; lock its log first. */
export const isGone = async (tx: Transaction, call: string) => (await tx.row(gone, call)) !== undefined

const put = statement(`
  insert into recordings (call, bytes, duration_ms, stored_at, place, blob, format, peaks)
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict (call) do update
  set bytes = excluded.bytes, duration_ms = excluded.duration_ms, stored_at = excluded.stored_at,
    place = excluded.place, blob = excluded.blob, format = excluded.format, peaks = excluded.peaks`)

export interface KeptRecording {
  call: string
  bytes: number
  durationMs: number
  format: RecordingFormat
  peaks: Buffer | null
  place: BlobPlace
  blob: string
}

export const putRecording = (
  tx: Transaction,
  { call, bytes, durationMs, place, blob, format, peaks }: KeptRecording,
  now: Date,
) => tx.rows(put, call, bytes, durationMs, now, place, blob, format, peaks)

/** Gateways of older versions name no blob. */
const keyOf = `coalesce(r.blob, c.org || '/' || c.id || '.wav')`

interface FoundRow {
  /** Null without a recording. */
  place: BlobPlace | null
  key: string | null
  bytes: number | null
  format: RecordingFormat | null
}

const find = statement<FoundRow>(`
  select r.place, case when r.call is not null then ${keyOf} end as key, r.bytes, r.format
  from calls c left join recordings r on r.call = c.id
  where c.id = $1 and c.org = $2 and c.env = $3`)

/** Undefined for a call of another org or environment. */
export const findRecording = (database: Queryable, call: string, org: string, env: Environment) =>
  database.row(find, call, org, env)

const waveform = statement<{ duration_ms: number | null; peaks: Buffer | null }>(`
  select r.duration_ms, r.peaks from calls c left join recordings r on r.call = c.id
  where c.id = $1 and c.org = $2 and c.env = $3`)

/** Undefined for a call of another org or environment. */
export const findWaveform = (database: Queryable, call: string, org: string, env: Environment) =>
  database.row(waveform, call, org, env)

const bytesInGb = 1024 ** 3
const most = (org: string) =>
  `cap_of(${org}, 'recordings_gb', ${usualCaps.recordings_gb})::bigint * ${bytesInGb}`

const room = statement<{ most: number | null; bytes: number; own: number }>(`
  select ${most('$1')} as most, coalesce((select bytes from recorded_bytes where org = $1), 0) as bytes,
    coalesce((select bytes from recordings where call = $2), 0) as own`)

/** The org's cap and stored bytes, and how many of them belong to this call. */
export const findRoom = async (database: Queryable, org: string, call: string) =>
  (await database.row(room, org, call)) ?? { most: null, bytes: 0, own: 0 }

// The row is locked, so that each of several concurrent stores counts the one before it.
const count = statement<{ bytes: number }>(`
  with more as (
    select $3::bigint - coalesce((select bytes from recordings where call = $2), 0) as bytes, ${most('$1')} as most
  )
  insert into recorded_bytes as kept (org, bytes)
  select $1, bytes from more where bytes <= 0 or most is null or bytes <= most
  on conflict (org) do update set bytes = kept.bytes + excluded.bytes
  where excluded.bytes <= 0 or (select most is null or kept.bytes + more.bytes <= most from more)
  returning bytes`)

/** Counts a call's recording in place of its earlier one; false past the org's cap. */
export const countBytes = async (tx: Transaction, org: string, call: string, bytes: number) =>
  (await tx.row(count, org, call, bytes)) !== undefined

const remove = statement<{ org: string }>(`
  with gone as (
    delete from recordings r using calls c where r.call = any($1::text[]) and c.id = r.call returning c.org, r.bytes
  ), sums as (
    select org, sum(bytes) as bytes from gone group by org
  ), locked as materialized (
    select org from recorded_bytes where org in (select org from sums) order by org for update
  )
  update recorded_bytes k set bytes = k.bytes - sums.bytes from sums join locked on locked.org = sums.org
  where k.org = sums.org`)

export const deleteRecordings = (tx: Transaction, calls: readonly string[]) => tx.rows(remove, calls)

export interface ElsewhereRow {
  call: string
  place: BlobPlace
  key: string
  org: string
  format: RecordingFormat
}

const elsewhere = statement<ElsewhereRow>(`
  select r.call, r.place, ${keyOf} as key, c.org, r.format from recordings r join calls c on c.id = r.call
  where r.call > $1 and ($2::text is null or r.call <= $2) and r.place <> $3 and r.place = any($4::text[]) order by r.call limit $5`)

/** Those of some calls that are kept in one of these other places, in the order of their calls. */
export const nextElsewhere = (
  database: Queryable,
  calls: { after: string; upTo: string | null },
  than: BlobPlace,
  places: readonly BlobPlace[],
  limit: number,
) => database.rows(elsewhere, calls.after, calls.upTo, than, places, limit)

const isThere = statement<{ call: string }>(`
  select r.call from recordings r join calls c on c.id = r.call
  where r.call = $1 and r.place = $2 and ${keyOf} = $3`)

/** Whether it is still where it was found. */
export const isStillThere = async (database: Queryable, { call, place, key }: ElsewhereRow) =>
  (await database.row(isThere, call, place, key)) !== undefined

const move = statement<{ call: string }>(`
  update recordings r set place = $4, blob = $5 from calls c
  where r.call = $1 and c.id = r.call and r.place = $2 and ${keyOf} = $3 returning r.call`)

/** False if it is there no longer. */
export const moveRecording = async (
  tx: Transaction,
  { call, place, key }: ElsewhereRow,
  to: BlobPlace,
  blob: string,
) => (await tx.row(move, call, place, key, to, blob)) !== undefined
