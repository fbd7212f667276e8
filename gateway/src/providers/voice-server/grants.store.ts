import type { AskGrant } from '@switchroom/contract/voice-server'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'

export interface GrantRow {
  id: string
  org: string
  key_id: string
  doing: AskGrant['doing']
  credits_per_unit: number
  characters: number
  /** Of audio, as last reported. */
  seconds: number
  /** Credits charged so far. */
  charged: number
  settled_at: string | null
}

const fields = `
  id, org, key_id, doing, credits_per_unit::float8 as credits_per_unit, characters, seconds,
  charged::float8 as charged, settled_at`

const insert = statement(`
  insert into voice_grants
    (id, org, key_id, doing, credits_per_unit, characters, seconds, charged, created_at, seen_at)
  values ($1, $2, $3, $4, $5, $6, 0, $7, $8, $8)`)

export const insertGrant = (database: Queryable, grant: Omit<GrantRow, 'seconds' | 'settled_at'>, at: Date) =>
  database.rows(
    insert,
    grant.id,
    grant.org,
    grant.key_id,
    grant.doing,
    grant.credits_per_unit,
    grant.characters,
    grant.charged,
    at,
  )

const lock = statement(`select pg_advisory_xact_lock(hashtextextended('voice streams of ' || $1, 0))`)

/** Locked to the end of the transaction, so that of two concurrent streams the second counts the first. */
export const lockStreams = (tx: Transaction, keyId: string) => tx.rows(lock, keyId)

const countOpen = statement<{ open: number }>(`
  select count(*) as open from voice_grants
  where key_id = $1 and seen_at > $2 and doing = 'streams' and settled_at is null`)

export const countStreams = async (database: Queryable, keyId: string, seenAfter: Date) =>
  (await database.row(countOpen, keyId, seenAfter))?.open ?? 0

const readLocked = statement<GrantRow>(`select ${fields} from voice_grants where id = $1 for update`)

export const lockGrant = (tx: Transaction, id: string) => tx.row(readLocked, id)

const write = statement(`
  update voice_grants set charged = $2, seconds = $3, settled_at = $4 where id = $1`)

export const writeGrant = (
  tx: Transaction,
  { id, charged, seconds }: Pick<GrantRow, 'id' | 'charged' | 'seconds'>,
  settledAt: Date | null,
) => tx.rows(write, id, charged, seconds, settledAt)

const see = statement<GrantRow>(`
  update voice_grants set seen_at = $3, seconds = greatest(voice_grants.seconds, told.seconds)
  from unnest($1::text[], $2::float8[]) as told (grant_id, seconds)
  where id = grant_id and doing = 'streams' and settled_at is null
  returning ${fields.replace('seconds', 'voice_grants.seconds')}`)

/** Answers the open ones. */
export const seeStreams = (
  database: Queryable,
  streams: readonly { grant: string; seconds: number }[],
  at: Date,
) =>
  database.rows(
    see,
    streams.map(({ grant }) => grant),
    streams.map(({ seconds }) => seconds),
    at,
  )

const owed = statement<{ org: string; owed: number }>(`
  select org, sum(seconds / 60 * credits_per_unit::float8 - charged::float8) as owed from voice_grants
  where org = any($1) and seen_at > $2 and doing = 'streams' and settled_at is null
  group by org`)

/** The cost so far of the open streams of these orgs. */
export const owedForStreams = (database: Queryable, orgs: readonly string[], seenAfter: Date) =>
  database.rows(owed, orgs, seenAfter)

const unsettled = statement<{ id: string }>(`
  select id from voice_grants
  where settled_at is null and (
    doing = 'speech' and charged > 0 and seen_at <= $1
    or doing = 'streams' and seen_at <= $2
      and charged < round((seconds / 60 * credits_per_unit::float8)::numeric, 9)
  )`)

/** Grants whose voice server is gone, with credits to charge or return. */
export const abandonedGrants = (database: Queryable, speechBefore: Date, streamsBefore: Date) =>
  database.rows(unsettled, speechBefore, streamsBefore)

const forget = statement(`delete from voice_grants where seen_at <= $1 or settled_at <= $2`)

export const forgetOldGrants = (database: Queryable, openBefore: Date, settledBefore: Date) =>
  database.rows(forget, openBefore, settledBefore)
