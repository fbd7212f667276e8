import type { Environment } from '@switchroom/contract/scopes'
import type { CallSettings } from '@switchroom/contract/calls'
import type { SettingsScope } from '../../agents/scope.ts'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'
import { isTestCall } from '../log/test-call-ids.ts'
import type { RanScope } from './resolution.store.ts'

export interface NewRecord {
  id: string
  scope: SettingsScope
  channel: string
  openedAt: Date
  settings: RanScope[]
  config: { holder: string; version: number | null } | null
  lexicon: { holder: string; version: number } | null
  canary: boolean
  parties: Parties
  /** Null if it is not traced. */
  traceparent: string | null
}

/** The two ends of a call, and what its opener said about it. */
export interface Parties {
  direction: 'inbound' | 'outbound'
  caller: string | null
  called: string | null
  contact: string | null
  metadata: Readonly<Record<string, unknown>>
  language: string | null
  extension: string | null
  /** The worker's first heartbeat; null if no worker runs it. */
  beatAt: Date | null
}

const insert = statement<{ id: string }>(`
  insert into calls (id, org, agent, env, holder, channel, opened_at, settings, config_holder, config_version,
    lexicon_holder, lexicon_version, canary, direction, caller, called, contact, metadata, language, extension,
    beat_at, traceparent, test)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)
  on conflict (id) do nothing
  returning id`)

/** Waits for a concurrent insert of the same call; undefined if that one committed. */
export const insertRecord = (
  tx: Transaction,
  { id, scope, config, lexicon, parties, ...record }: NewRecord,
) =>
  tx.row(
    insert,
    id,
    scope.org,
    scope.agent,
    scope.env,
    scope.holder,
    record.channel,
    record.openedAt,
    JSON.stringify(record.settings),
    config?.holder,
    config?.version,
    lexicon?.holder,
    lexicon?.version,
    record.canary,
    parties.direction,
    parties.caller,
    parties.called,
    parties.contact,
    JSON.stringify(parties.metadata),
    parties.language,
    parties.extension,
    parties.beatAt,
    record.traceparent,
    isTestCall(id),
  )

const move = statement(`
  with moved as (
    update calls set agent = $2, settings = $3, config_holder = $4, config_version = $5, lexicon_holder = $6,
      lexicon_version = $7, canary = $8, language = $9
    where id = $1
  )
  update logs set agent = $2 where id = $1`)

/** To another agent, with the versions it runs from now on; its log moves along. */
export const moveRecord = (
  tx: Transaction,
  {
    id,
    agent,
    language,
    ...record
  }: Pick<NewRecord, 'id' | 'settings' | 'config' | 'lexicon' | 'canary'> & {
    agent: string
    language: string | null
  },
) =>
  tx.rows(
    move,
    id,
    agent,
    JSON.stringify(record.settings),
    record.config?.holder,
    record.config?.version,
    record.lexicon?.holder,
    record.lexicon?.version,
    record.canary,
    language,
  )

export const runningCount = statement<{ count: number }>(`
  select count(*)::int as count from logs where org = $1 and call is not null and not sealed and seq > 0`)

/** The calls of an org that have begun and not ended. */
export const countRunning = async (database: Queryable, org: string) =>
  (await database.row(runningCount, org))?.count ?? 0

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
