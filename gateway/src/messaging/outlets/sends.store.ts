import { ofLog } from '../../calls/log/months.ts'
import { statement, type Queryable } from '../../database/database.ts'
import type { PlatformError } from '../platform/send-failures.ts'

/** A part of a turn. */
export interface PartKey {
  call: string
  seq: number
  part: number
}

export interface SendRow {
  seq: number
  part: number
  attempted_at: string
  /** Not attempted again before; null if the last attempt has not ended. */
  retry_at: string | null
  is_settled: boolean
}

const columns = 'seq, part, attempted_at, retry_at, settled_at is not null as is_settled'
const ofPart = 'call = $1 and seq = $2 and part = $3'

const list = statement<SendRow>(`select ${columns} from sends where call = $1`)

export const listSends = (database: Queryable, call: string) => database.rows(list, call)

const find = statement<SendRow>(`select ${columns} from sends where ${ofPart}`)

export const findSend = (database: Queryable, { call, seq, part }: PartKey) =>
  database.row(find, call, seq, part)

/** How often a part was attempted, this time included, and when first. */
export interface Attempt {
  attempts: number
  first_attempted_at: string
}

const attempt = statement<Attempt>(`
  insert into sends (call, seq, part, attempted_at, first_attempted_at)
  select call, $2, $3, $5, $5 from sendings where call = $1 and sender = $4
  on conflict (call, seq, part) do update
  set attempted_at = excluded.attempted_at, attempts = sends.attempts + 1, retry_at = null,
    first_attempted_at = coalesce(sends.first_attempted_at, sends.attempted_at)
  where sends.settled_at is null
  returning attempts, first_attempted_at`)

/** Written before the platform is asked; nothing if another gateway sends, or if it was sent meanwhile. */
export const beginAttempt = (database: Queryable, { call, seq, part }: PartKey, sender: string, now: Date) =>
  database.row(attempt, call, seq, part, sender, now)

const retry = statement(`update sends set retry_at = $4 where ${ofPart} and settled_at is null`)

export const retryAt = (database: Queryable, { call, seq, part }: PartKey, at: Date) =>
  database.rows(retry, call, seq, part, at)

const settle = statement(`
  update sends set settled_at = $4, platform_id = $5, retry_at = null, status = 'sent'
  where ${ofPart} and settled_at is null`)

/** The platform took it, and names it by this id. */
export const settleSend = (
  database: Queryable,
  { call, seq, part }: PartKey,
  now: Date,
  platformId: string | null,
) => database.rows(settle, call, seq, part, now, platformId)

const refuse = statement<{ part: number }>(`
  update sends set settled_at = $4, retry_at = null, status = 'failed', error = $5
  where ${ofPart} and settled_at is null
  returning part`)

/** Undefined if a receipt says by now that the platform took it. */
export const refuseSend = (
  database: Queryable,
  { call, seq, part }: PartKey,
  now: Date,
  error: PlatformError,
) => database.row(refuse, call, seq, part, now, JSON.stringify(error))

const receipt = statement(`
  update sends s set settled_at = $4, platform_id = $5, retry_at = null from calls c
  where s.call = $1 and s.seq = $2 and s.part = $3 and s.settled_at is null and c.id = s.call and c.org = $6`)

/** Any receipt proves that the platform took it. */
export const settleByReceipt = (
  database: Queryable,
  { call, seq, part }: PartKey,
  now: Date,
  platformId: string,
  org: string,
) => database.rows(receipt, call, seq, part, now, platformId, org)

/** In the order in which they replace each other: receipts come in any order, and what arrived has not failed. */
export const reportedStatuses = ['sent', 'failed', 'delivered', 'read'] as const
export type ReportedStatus = (typeof reportedStatuses)[number]

const rank = (status: string) =>
  `coalesce(array_position('{${reportedStatuses.join()}}'::text[], ${status}), 0)`

const report = statement<{ part: number }>(`
  update sends s set status = $5, error = $6 from calls c
  where s.call = $1 and s.seq = $2 and s.part = $3 and c.id = s.call and c.org = $4
    and ${rank('s.status')} < ${rank('$5::text')}
  returning s.part`)

/** Undefined if this or a later status was reported before. */
export const reportSend = (
  database: Queryable,
  { call, seq, part }: PartKey,
  org: string,
  status: ReportedStatus,
  error: PlatformError | null,
) => database.row(report, call, seq, part, org, status, error && JSON.stringify(error))

const turn = statement<{ messageId: string | null }>(`
  select entry::json -> 'data' ->> 'messageId' as "messageId" from entries
  where ${ofLog('$1')} and seq = $2`)

/** The id of the agent's message that a part is of. */
export const findMessageId = async (database: Queryable, { call, seq }: PartKey) =>
  (await database.row(turn, call, seq))?.messageId ?? null
