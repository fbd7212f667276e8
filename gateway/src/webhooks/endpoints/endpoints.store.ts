import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'
import type { EndpointFields } from './endpoint-fields.ts'

export interface EndpointRow extends EndpointFields {
  id: string
  org: string
  env: Environment
  sealed: Buffer
  created_at: string
  changed_at: string
  paused_at: string | null
  paused_why: 'person' | 'failing' | null
  failing_since: string | null
  delivered_at: string | null
}

const columns = `id, org, env, url, description, types, agents, sealed, created_at, changed_at, paused_at, paused_why,
  failing_since, delivered_at`
const isOne = 'id = $1 and org = $2 and env = $3'

const all = statement<EndpointRow>(
  `select ${columns} from webhook_endpoints where org = $1 and env = $2 order by created_at, id`,
)

export const listEndpoints = (database: Queryable, org: string, env: Environment) =>
  database.rows(all, org, env)

const one = statement<EndpointRow>(`select ${columns} from webhook_endpoints where ${isOne}`)

export const findEndpoint = (database: Queryable, id: string, org: string, env: Environment) =>
  database.row(one, id, org, env)

const lock = statement<EndpointRow>(`select ${columns} from webhook_endpoints where ${isOne} for update`)

export const lockEndpoint = (tx: Transaction, id: string, org: string, env: Environment) =>
  tx.row(lock, id, org, env)

const count = statement<{ count: number }>(
  `select count(*)::int as count from webhook_endpoints where org = $1 and env = $2`,
)

export const countEndpoints = async (tx: Transaction, org: string, env: Environment) =>
  (await tx.row(count, org, env))?.count ?? 0

const insert = statement<EndpointRow>(`
  insert into webhook_endpoints (id, org, env, url, description, types, agents, sealed, created_at, changed_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9) returning ${columns}`)

export const insertEndpoint = (
  tx: Transaction,
  { id, org, env, sealed }: Pick<EndpointRow, 'id' | 'org' | 'env' | 'sealed'>,
  to: EndpointFields,
  now: Date,
) => tx.row(insert, id, org, env, to.url, to.description, to.types, to.agents, sealed, now)

const replace = statement<EndpointRow>(`
  update webhook_endpoints set url = $2, description = $3, types = $4, agents = $5, changed_at = $6
  where id = $1 returning ${columns}`)

export const replaceFields = (tx: Transaction, id: string, to: EndpointFields, now: Date) =>
  tx.row(replace, id, to.url, to.description, to.types, to.agents, now)

const setSealed = statement<EndpointRow>(`
  update webhook_endpoints set sealed = $2, changed_at = $3 where id = $1 returning ${columns}`)

export const replaceSecrets = (tx: Transaction, id: string, sealed: Buffer, now: Date) =>
  tx.row(setSealed, id, sealed, now)

const pause = statement<EndpointRow>(`
  update webhook_endpoints set paused_at = $2, paused_why = $3 where id = $1 returning ${columns}`)

export const pauseEndpoint = (tx: Transaction, id: string, now: Date, why: 'person' | 'failing') =>
  tx.row(pause, id, now, why)

const resume = statement<EndpointRow>(`
  update webhook_endpoints set paused_at = null, paused_why = null, failing_since = null where id = $1
  returning ${columns}`)

/** What failed before counts no more. */
export const resumeEndpoint = (tx: Transaction, id: string) => tx.row(resume, id)

const remove = statement(`delete from webhook_endpoints where id = $1`)

export const deleteEndpoint = (tx: Transaction, id: string) => tx.rows(remove, id)

// Locked, so that a pause and a resumption wait for each other: what one holds back the other sets free.
const hold = statement(`
  with paused as materialized (
    select id from webhook_endpoints where id = $1 and paused_at is not null for share
  )
  update webhook_deliveries
  set due_at = 'infinity', sender = null, attempts = attempts - case when sender is null then 0 else 1 end
  where endpoint in (select id from paused) and state = 'pending' and due_at <> 'infinity'`)

/** Nothing of a paused endpoint is due. What was claimed and not sent yet counts as not attempted. */
export const holdDeliveries = (database: Queryable, id: string) => database.rows(hold, id)

const free = statement(`
  update webhook_deliveries set due_at = $2 where endpoint = $1 and state = 'pending' and due_at = 'infinity'`)

export const freeDeliveries = (tx: Transaction, id: string, now: Date) => tx.rows(free, id, now)

const removeDeliveries = statement(`delete from webhook_deliveries where endpoint = $1`)

/** What a gateway adds meanwhile is deleted when it is found, or for its age. */
export const deleteDeliveries = (tx: Transaction, id: string) => tx.rows(removeDeliveries, id)
