import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'
import { gatewayLock as lockOf } from '../../database/gateway-lock.ts'

/** A written call, as the gateway that runs it names it. */
export interface WrittenHead {
  id: string
  org: string
  /** The org's. */
  slug: string
  env: Environment
  agent: string
  holder: string
  contact: string | null
  /** `chat` or `msgapp`. */
  channel: string
}

/** The runner of a call that no gateway runs, until one takes it up. */
const noRunner = ''

const records = `c.id, c.org, o.slug, c.env, c.agent, c.holder, c.contact, c.channel`

const find = statement<WrittenHead & { isEnded: boolean }>(`
  select ${records}, c.ended_at is not null as "isEnded"
  from calls c join orgs o on o.id = c.org where c.id = $1`)

export const findWritten = (database: Queryable, id: string) => database.row(find, id)

const setRunner = statement(`update logs set runner = $2 where id = $1`)

export const runBy = (tx: Transaction, id: string, gateway: string) => tx.rows(setRunner, id, gateway)

export const proofOfLife = `select pg_advisory_lock_shared(${lockOf('$1')})`

const silent = statement<{ id: string }>(`
  with known as materialized (
    select runner as id from logs where runner is not null and runner <> $1
    union select id from gateways where id <> $1
  )
  select id from known
  where id = '${noRunner}' or pg_try_advisory_xact_lock(${lockOf('id')})
    or not exists (select from gateways g where g.id = known.id and g.seen_at > $2)`)

/** The gateways that give no sign of life; until the end of the transaction no other gateway finds them. */
export const findSilent = async (tx: Transaction, own: string, aliveSince: Date) =>
  (await tx.rows(silent, own, aliveSince)).map(({ id }) => id)

export const hasNoRunner = (runner: string) => runner === noRunner

const claim = statement<WrittenHead>(`
  with orphans as (
    select id from logs where runner = any($2) and not sealed order by id limit $3 for update skip locked
  ), taken as (
    update logs set runner = $1 from orphans where logs.id = orphans.id returning logs.id
  )
  select ${records} from taken join calls c on c.id = taken.id join orgs o on o.id = c.org`)

/** Of several gateways that take a call up at one instant, one gets it. */
export const claimOf = (tx: Transaction, own: string, runners: readonly string[], atMost: number) =>
  tx.rows(claim, own, runners, atMost)

/** Where gateways hear that calls wait for one that runs them. */
export const givenUpChannel = 'calls_given_up'

const giveUp = statement(`
  with given as (update logs set runner = '${noRunner}' where runner = $1 and not sealed and id = any($2) returning id)
  select pg_notify('${givenUpChannel}', '') where exists (select from given)`)

export const giveUpAll = (database: Queryable, own: string, ids: readonly string[]) =>
  database.rows(giveUp, own, ids)

const own = statement<{ id: string }>(`select id from logs where runner = $1`)

export const listRun = async (database: Queryable, gateway: string) =>
  (await database.rows(own, gateway)).map(({ id }) => id)
