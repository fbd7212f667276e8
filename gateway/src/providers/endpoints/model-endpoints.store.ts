import type { EndpointWire } from '@switchroom/contract/endpoint-names'
import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'

export interface EndpointPlace {
  org: string
  env: Environment
  name: string
}

export interface EndpointRow {
  name: string
  base_url: string
  wire: EndpointWire
  model: string
  azure_api_version: string | null
  sealed: Buffer | null
  created_at: string
  changed_at: string
  tried_at: string
}

export type KeptEndpoint = Pick<EndpointRow, 'base_url' | 'wire' | 'model' | 'azure_api_version' | 'sealed'>

const columns = `name, base_url, wire, model, azure_api_version, sealed, created_at, changed_at, tried_at`
const isOne = `org = $1 and env = $2 and name = $3`

const all = statement<EndpointRow>(
  `select ${columns} from model_endpoints where org = $1 and env = $2 order by name collate "C"`,
)

export const listEndpoints = (database: Queryable, org: string, env: Environment) =>
  database.rows(all, org, env)

const one = statement<EndpointRow>(`select ${columns} from model_endpoints where ${isOne}`)

export const findEndpoint = (database: Queryable, { org, env, name }: EndpointPlace) =>
  database.row(one, org, env, name)

const lock = statement<EndpointRow>(`select ${columns} from model_endpoints where ${isOne} for update`)

export const lockEndpoint = (tx: Transaction, { org, env, name }: EndpointPlace) =>
  tx.row(lock, org, env, name)

const count = statement<{ count: number }>(
  `select count(*)::int as count from model_endpoints where org = $1 and env = $2`,
)

export const countEndpoints = async (tx: Transaction, org: string, env: Environment) =>
  (await tx.row(count, org, env))?.count ?? 0

const insert = statement<EndpointRow>(`
  insert into model_endpoints (org, env, name, base_url, wire, model, azure_api_version, sealed,
    created_at, changed_at, tried_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $9)
  on conflict do nothing returning ${columns}`)

/** Undefined if there is one of this name. */
export const insertEndpoint = (
  tx: Transaction,
  { org, env, name }: EndpointPlace,
  to: KeptEndpoint,
  now: Date,
) => tx.row(insert, org, env, name, to.base_url, to.wire, to.model, to.azure_api_version, to.sealed, now)

const replace = statement<EndpointRow>(`
  update model_endpoints set base_url = $4, wire = $5, model = $6, azure_api_version = $7, sealed = $8,
    changed_at = $9, tried_at = $9
  where ${isOne} returning ${columns}`)

export const replaceEndpoint = (
  tx: Transaction,
  { org, env, name }: EndpointPlace,
  to: KeptEndpoint,
  now: Date,
) => tx.row(replace, org, env, name, to.base_url, to.wire, to.model, to.azure_api_version, to.sealed, now)

const setTried = statement<EndpointRow>(
  `update model_endpoints set tried_at = $4 where ${isOne} returning ${columns}`,
)

/** Undefined if it was deleted meanwhile. */
export const keepTried = (database: Queryable, { org, env, name }: EndpointPlace, now: Date) =>
  database.row(setTried, org, env, name, now)

const remove = statement(`delete from model_endpoints where ${isOne}`)

export const deleteEndpoint = (tx: Transaction, { org, env, name }: EndpointPlace) =>
  tx.rows(remove, org, env, name)

/** In each scope what runs: the newest version that is no canary, the canary, and what connected apps declare. */
const users = statement<{ agent: string | null }>(`
  with kept as (
    select distinct on (v.agent, v.holder) v.agent, v.content from versions v
    left join canaries c on c.org = v.org and c.agent = v.agent and c.env = v.env and c.holder = v.holder
    where v.kind = 'settings' and v.org = $1 and v.env = $2 and v.version is distinct from c.version
    order by v.agent, v.holder, v.version desc
  ), canary as (
    select v.agent, v.content from canaries c
    join versions v on v.kind = 'settings' and v.org = c.org and v.agent = c.agent and v.env = c.env
      and v.holder = c.holder and v.version = c.version
    where c.org = $1 and c.env = $2
  ), declared as (
    select agent, declaration -> 'declared' as content from registrations where org = $1 and env = $2
  )
  select distinct agent from (
    select agent from kept where $3 in (content ->> 'llm', content ->> 'judge')
    union all
    select agent from canary where $3 in (content ->> 'llm', content ->> 'judge')
    union all
    select agent from declared where $3 in (content -> 'llm' ->> 'llm', content -> 'judge' ->> 'judge')
    union all
    select null from org_judging where org = $1 and judge = $3
  ) used order by agent`)

/** The agents that run on a model now; null for the org's own judge. */
export const listUsers = async (tx: Transaction, org: string, env: Environment, llm: string) =>
  (await tx.rows(users, org, env, llm)).map(({ agent }) => agent)
