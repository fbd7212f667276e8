import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'
import { checkOf, type Check } from '../../database/due-checks.ts'
import { gatewayLock as lockOf } from '../../database/gateway-lock.ts'
import type { UnlockedGateway } from '../../database/gateway-silence.ts'

/** A written call as the gateway that runs it sees it. */
export interface WrittenCallRecord {
  id: string
  org: string
  /** The org's slug. */
  slug: string
  env: Environment
  agent: string
  holder: string
  contact: string | null
  /** `chat` or `msgapp`. */
  channel: string
  /** Where its spans belong; null if it is not traced. */
  traceparent: string | null
}

/** The runner of a call that its gateway has released. */
const noRunner = ''

const columns = `c.id, c.org, o.slug, c.env, c.agent, c.holder, c.contact, c.channel, c.traceparent`

const find = statement<WrittenCallRecord & { isEnded: boolean }>(`
  select ${columns}, c.ended_at is not null as "isEnded"
  from calls c join orgs o on o.id = c.org where c.id = $1`)

export const findWritten = (database: Queryable, id: string) => database.row(find, id)

const run = statement(`update logs set runner = $2 where id = $1`)

export const setRunner = (tx: Transaction, id: string, gateway: string) => tx.rows(run, id, gateway)

export const proofOfLife = `select pg_advisory_lock_shared(${lockOf('$1')})`

const unlocked = statement<UnlockedGateway>(`
  with known as materialized (
    select runner as id from logs where runner is not null and runner <> $1
    union select id from gateways where id <> $1
  )
  select known.id, g.seen_at as "seenAt" from known left join gateways g on g.id = known.id
  where known.id = '${noRunner}' or pg_try_advisory_xact_lock(${lockOf('known.id')})`)

/** The advisory lock hides them from other gateways until the transaction ends. */
export const findUnlocked = (tx: Transaction, own: string) => tx.rows(unlocked, own)

/** Whether there are any now. */
export const unlockedCheck = (own: string): Check => checkOf(unlocked, own)

export const isUnassignedRunner = (runner: string) => runner === noRunner

const claim = statement<WrittenCallRecord>(`
  with orphans as (
    select id from logs where runner = any($2) and not sealed order by id limit $3 for update skip locked
  ), taken as (
    update logs set runner = $1 from orphans where logs.id = orphans.id returning logs.id
  )
  select ${columns} from taken join calls c on c.id = taken.id join orgs o on o.id = c.org`)

/** `skip locked`: of several gateways that claim a call, one gets it. */
export const claimCalls = (tx: Transaction, own: string, runners: readonly string[], atMost: number) =>
  tx.rows(claim, own, runners, atMost)

/** The channel on which gateways announce calls that they released. */
export const releasedCallsChannel = 'calls_given_up'

const release = statement<{ id: string }>(`
  update logs set runner = '${noRunner}' where runner = $1 and not sealed and id = any($2) returning id`)

export const releaseCalls = (database: Queryable, own: string, ids: readonly string[]) =>
  database.rows(release, own, ids)

const own = statement<{ id: string }>(`select id from logs where runner = $1`)

export const listCallsOf = async (database: Queryable, gateway: string) =>
  (await database.rows(own, gateway)).map(({ id }) => id)
