import type { Environment } from '@switchroom/contract/scopes'
import type { CallSettings } from '@switchroom/contract/calls'
import type { Scope } from '../../agents/scope.ts'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'
import type { RanScope } from './reading.store.ts'

export interface NewHead {
  id: string
  scope: Scope
  channel: string
  openedAt: Date
  settings: RanScope[]
  config: { holder: string; version: number | null } | null
  lexicon: { holder: string; version: number } | null
  canary: boolean
}

const insert = statement<{ id: string }>(`
  insert into calls (id, org, agent, env, holder, channel, opened_at, settings, config_holder, config_version,
    lexicon_holder, lexicon_version, canary)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
  on conflict (id) do nothing
  returning id`)

/** Waits for whoever opens the same call at this instant; answers nothing when they did. */
export const insertHead = (tx: Transaction, { id, scope, config, lexicon, ...head }: NewHead) =>
  tx.row(
    insert,
    id,
    scope.org,
    scope.agent,
    scope.env,
    scope.holder,
    head.channel,
    head.openedAt,
    JSON.stringify(head.settings),
    config?.holder,
    config?.version,
    lexicon?.holder,
    lexicon?.version,
    head.canary,
  )

const orgOf = statement<{ org: string; slug: string; env: Environment }>(`
  select o.id as org, o.slug, c.env from calls c join orgs o on o.id = c.org where c.id = $1`)

export const findOrgOfCall = (database: Queryable, id: string) => database.row(orgOf, id)

const agentOf = statement<{ agent: string }>(`
  select agent from calls where id = $1 and org = $2 and env = $3`)

export const findAgentOfCall = (database: Queryable, id: string, org: string, env: Environment) =>
  database.row(agentOf, id, org, env)

const rowAs = (name: string) => `
  json_build_object('holder', v.holder, 'version', v.version, 'author', v.author, 'note', v.note,
    'set_at', floor(extract(epoch from v.set_at)), '${name}', v.content)`

const recorded = statement<CallSettings>(`
  select c.config_version, c.lexicon_version, c.canary,
    (
      select ${rowAs('config')} from versions v
      where v.org = c.org and v.agent = c.agent and v.env = c.env and v.holder = c.config_holder
        and v.kind = 'settings' and v.version = c.config_version
    ) as config,
    (
      select ${rowAs('lexicon')} from versions v
      where v.org = c.org and v.agent = c.agent and v.env = c.env and v.holder = c.lexicon_holder
        and v.kind = 'lexicon' and v.version = c.lexicon_version
    ) as lexicon
  from calls c where c.id = $1 and c.org = $2 and c.env = $3`)

export const findSettings = (database: Queryable, id: string, org: string, env: Environment) =>
  database.row(recorded, id, org, env)
