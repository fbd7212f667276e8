import { statement, type Queryable, type Transaction } from '../../database/database.ts'

/** A claim as it was given: by which gateway, and when. */
export interface ClaimKey {
  org: string
  messageId: string
  claimedAt: Date
  gateway: string
}

// The insert is the claim; one whose reader counts as dead is taken over, and by one alone: the row is locked. Several
// are inserted in one order, so that no two gateways wait for each other.
const claimInsert = statement<{ org: string; message_id: string }>(`
  insert into message_claims as c (org, message_id, claimed_at, gateway)
  select org, message_id, $3, $5 from unnest($1::text[], $2::text[]) as wanted (org, message_id)
  order by org, message_id
  on conflict (org, message_id) do update set claimed_at = excluded.claimed_at, gateway = excluded.gateway
  where c.read_at is null and c.claimed_at <= $4
  returning c.org, c.message_id`)

/** Those that were given: no other's and none that was read; one claimed before `dead` counts as abandoned. */
export const insertClaims = (
  database: Queryable,
  orgs: readonly string[],
  messageIds: readonly string[],
  now: Date,
  dead: Date,
  gateway: string,
) => database.rows(claimInsert, orgs, messageIds, now, dead, gateway)

const find = statement<{ is_read: boolean; gateway: string | null }>(`
  select read_at is not null as is_read, gateway from message_claims where org = $1 and message_id = $2`)

export const findClaim = (database: Queryable, org: string, messageId: string) =>
  database.row(find, org, messageId)

const takeOver = statement<{ org: string }>(`
  update message_claims set claimed_at = $5, gateway = $4
  where org = $1 and message_id = $2 and gateway = $3 and read_at is null
  returning org`)

/** A claim of a gateway that is dead; undefined for all but the first gateway that takes it. */
export const takeOverClaim = (
  database: Queryable,
  { org, messageId }: { org: string; messageId: string },
  dead: string,
  own: string,
  now: Date,
) => database.row(takeOver, org, messageId, dead, own, now)

export const claimRead = statement<{ org: string }>(`
  update message_claims set read_at = $4
  where org = $1 and message_id = $2 and claimed_at = $3 and gateway = $5 and read_at is null
  returning org`)

/** Undefined if the claim is no longer the one of that moment. */
export const markRead = (tx: Transaction, claim: ClaimKey, now: Date) =>
  tx.row(claimRead, claim.org, claim.messageId, claim.claimedAt, now, claim.gateway)

const giveBack = statement(`
  delete from message_claims
  where org = $1 and message_id = $2 and claimed_at = $3 and gateway = $4 and read_at is null`)

export const deleteClaim = (database: Queryable, claim: ClaimKey) =>
  database.rows(giveBack, claim.org, claim.messageId, claim.claimedAt, claim.gateway)

const forget = statement<{ gone: number }>(`
  with old as (
    select org, message_id from message_claims where claimed_at < $1
    order by claimed_at limit $2 for update skip locked
  ), gone as (
    delete from message_claims c using old where c.org = old.org and c.message_id = old.message_id returning 1
  )
  select count(*) as gone from gone`)

/** Some of those claimed before then; answers how many. */
export const forgetSome = async (database: Queryable, before: Date, limit: number) =>
  (await database.row(forget, before, limit))?.gone ?? 0
