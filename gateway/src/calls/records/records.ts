import {
  openableChannels,
  type CallSettings,
  type Channel,
  type OpenCall,
  type OpenedCall,
} from '@switchroom/contract/calls'
import type { NewEntry } from '@switchroom/contract/log'
import type { ProviderRow } from '@switchroom/contract/providers'
import type { Environment } from '@switchroom/contract/scopes'
import type { Judging, Lexicon } from '@switchroom/contract/settings'
import { newCallTrace } from '@switchroom/telemetry/tracing'
import type { Agents } from '../../agents/agents.ts'
import type { Declaration } from '../../agents/stages/declaration.ts'
import type { RunningGateways } from '../../agents/apps/running-gateways.ts'
import { refuseMalformedSlug, scopeOf, type SettingsScope } from '../../agents/scope.ts'
import { Layers } from '../../agents/stages/layers.ts'
import type { Database, Queryable, Transaction } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import type { Clock } from '../../foundation/clock.ts'
import { badRequest, conflict, notFound, tooMany } from '../../foundation/refusals.ts'
import type { Orgs } from '../../people/orgs/orgs.ts'
import type { Log } from '../log/log.ts'
import { callLog } from '../log/entries.ts'
import type { SpokenMinutes } from '../minutes/spoken-minutes.ts'
import { newCallId, refuseMalformedCallId, refuseTestCallId } from './call-ids.ts'
import { CallSources, type ResolutionSources } from './call-sources.ts'
import * as store from './records.store.ts'
import type { RanScope } from './resolution.store.ts'
import { nearestSet, scopesRun, type ScopeRun } from './versions-run.ts'

export type { RanScope } from './resolution.store.ts'

/** What a call runs on: its own recorded versions, and the current values of the rest. */
export interface ResolvedSettings {
  call: string | null
  /** Nearest first. */
  scopes: ScopeRun[]
  config_version: number | null
  lexicon_version: number | null
  lexicon: Lexicon | null
  canary: boolean
  declaration: Declaration | null
  row: ProviderRow
  judging: Judging | null
  /** The vendors the org brought keys for, and its own endpoints as `custom/<name>`. */
  own: string[]
}

/** A call that was opened. */
export type BegunCall = ResolvedSettings & {
  call: string
  /** Where its spans belong; null if it is not traced. */
  traceparent: string | null
}

export const callsRunning = (database: Queryable) => (org: string) => store.countRunning(database, org)

/** A call that begins with the request that names it. */
export interface NewCall extends Partial<store.Parties> {
  channel: Channel | 'phone' | 'msgapp'
  /** The gateway that runs a written call. */
  runner?: string
  /** The first entries of its log; none if a worker starts the call later. */
  entries: (resolution: ResolvedSettings) => readonly NewEntry[]
  /** Refuses by the resolved settings, before anything is stored. */
  judge?: (resolution: ResolvedSettings) => Promise<void>
  /** Refuses past a cap of its channel, in the transaction that stores it. */
  admit?: (tx: Transaction) => Promise<void>
  /** The versions it runs, nearest scope first; without them the newest, or the canary's. */
  settings?: readonly RanScope[]
  /** Whether it ends in the same transaction, and so counts for no quota. */
  isPassing?: boolean
  alsoInTransaction?: (tx: Transaction) => Promise<void>
}

export interface CallRecordsParts {
  database: Database
  clock: Clock
  orgs: Orgs
  agents: Agents
  gateways: Pick<RunningGateways, 'id' | 'alive'>
  log: Log
  spokenMinutes: SpokenMinutes
}

/** Calls, and the versions each runs on, resolved once at the first request that names the call. */
export class CallRecords {
  readonly #parts: CallRecordsParts
  readonly #sources: CallSources

  constructor(parts: CallRecordsParts) {
    this.#parts = parts
    this.#sources = new CallSources(() => parts.gateways.alive)
  }

  async open(caller: Caller, wanted: OpenCall): Promise<OpenedCall> {
    const { agent } = wanted
    const channel = channelOf(wanted.channel)
    const call = newCallId()
    await this.#openFirst(scopeOf(caller, agent), call, channel)
    return { call, agent, env: caller.env }
  }

  /** Opens a new call: its record, its log and the first entries, in one transaction. */
  async begin(scope: SettingsScope, call: string, beginning: NewCall): Promise<BegunCall> {
    const { database } = this.#parts
    const sources = await this.#readNew(database, scope, call, beginning.settings)
    const resolution = resolutionOf(sources, scope, call, beginning.settings)
    await beginning.judge?.(resolution)
    const traceparent = newCallTrace()
    await database.transaction((tx) =>
      this.#begin(tx, scope, sources, resolution, { ...beginning, traceparent }),
    )
    return { ...resolution, traceparent }
  }

  /** The same in the transaction of a rule that may have locked the org. */
  async beginIn(
    tx: Transaction,
    scope: SettingsScope,
    call: string,
    beginning: Omit<NewCall, 'judge'>,
  ): Promise<BegunCall> {
    const sources = await this.#readNew(tx, scope, call, beginning.settings)
    const resolution = resolutionOf(sources, scope, call, beginning.settings)
    const traceparent = newCallTrace()
    await this.#begin(tx, scope, sources, resolution, { ...beginning, traceparent })
    return { ...resolution, traceparent }
  }

  /** Moves the call to another agent and its current settings. The caller has locked the call's log. */
  async moveTo(tx: Transaction, call: string, scope: SettingsScope) {
    const sources = await this.#sources.read(tx, scope, null)
    const { scopes, canary, declaration } = resolutionOf(sources, scope, call)
    await store.moveRecord(tx, {
      id: call,
      agent: scope.agent,
      settings: scopes.map(({ holder, version, picked }) => ({ holder, version, picked })),
      config: nearestSet(scopes) ?? null,
      lexicon: sources.lexicon,
      canary,
      language: languageOf(scopes, declaration),
    })
  }

  /** With a quota the org stays locked to the end of the transaction, so that two calls cannot both be the last. */
  async refusePastQuota(tx: Transaction, org: string, channel: NewCall['channel']) {
    const found = await this.#parts.orgs.lookUp(org, tx)
    if (found) await this.#parts.spokenMinutes.refusePastQuota(tx, found, channel)
    if (found?.quotas.concurrent_calls === null) return
    const locked = await this.#parts.orgs.lock(tx, org)
    const most = locked.quotas.concurrent_calls
    const running = await store.countRunning(tx, org)
    if (most !== null && running >= most)
      throw tooMany(
        `org ${locked.slug} runs ${running} of its ${most} calls at once: wait until one ends, or ask the operator for more`,
      ).as('QUOTA_EXCEEDED')
  }

  /** Without a call: what a call outside any canary would run; nothing is stored. */
  async resolve(scope: SettingsScope, call: string | null, channel: Channel): Promise<ResolvedSettings> {
    refuseMalformedSlug(scope.agent)
    if (call !== null) refuseMalformedCallId('for_call', call)
    const sources = await this.#sources.read(this.#parts.database, scope, call)
    if (call === null || sources.record) return resolutionOf(sources, scope, call)
    refuseTestCallId('for_call', call)
    return this.#openFirst(scope, call, channel)
  }

  /** An unknown call, another org's and one of the other environment are refused alike. */
  async settingsOf({ org, env }: Caller, call: string): Promise<CallSettings> {
    const settings = await store.findSettings(this.#parts.database, call, org, env)
    if (!settings) throw unknownCall(call)
    return settings
  }

  orgOf(call: string): Promise<{ org: string; slug: string; env: Environment } | undefined> {
    return store.findOrgOfCall(this.#parts.database, call)
  }

  async agentOf({ org, env }: Caller, call: string): Promise<string | undefined> {
    return (await store.findAgentOfCall(this.#parts.database, call, org, env))?.agent
  }

  /** Of concurrent requests that name a new call, one resolves it and the others read what it stored. */
  #openFirst(scope: SettingsScope, call: string, channel: Channel): Promise<ResolvedSettings> {
    return this.#parts.database.transaction(async (tx) => {
      const sources = await this.#sources.read(tx, scope, call)
      const resolution = resolutionOf(sources, scope, call)
      const opening = { channel, traceparent: newCallTrace() }
      if (sources.record || (await this.#keep(tx, scope, sources, resolution, opening))) return resolution
      return resolutionOf(await this.#sources.read(tx, scope, call), scope, call)
    })
  }

  async #readNew(
    database: Database | Transaction,
    scope: SettingsScope,
    call: string,
    settings?: readonly RanScope[],
  ): Promise<ResolutionSources> {
    refuseMalformedSlug(scope.agent)
    const sources = await this.#sources.read(database, scope, call, settings)
    if (sources.record) throw isThere(call)
    return sources
  }

  async #begin(
    tx: Transaction,
    scope: SettingsScope,
    sources: ResolutionSources,
    resolution: ResolvedSettings & { call: string },
    beginning: NewCall & Pick<BegunCall, 'traceparent'>,
  ) {
    if (!beginning.isPassing) await this.refusePastQuota(tx, scope.org, beginning.channel)
    await beginning.admit?.(tx)
    if (!(await this.#keep(tx, scope, sources, resolution, beginning))) throw isThere(resolution.call)
    const log = callLog({ ...scope, id: resolution.call })
    const entries = beginning.entries(resolution)
    if (entries.length > 0) await this.#parts.log.appendIn(tx, log, entries)
    await beginning.alsoInTransaction?.(tx)
  }

  async #keep(
    tx: Transaction,
    scope: SettingsScope,
    { is_agent_named, lexicon }: ResolutionSources,
    { call, scopes, canary, declaration }: ResolvedSettings & { call: string },
    {
      channel,
      runner,
      traceparent,
      ...parties
    }: Pick<NewCall, 'channel' | 'runner'> & Pick<BegunCall, 'traceparent'> & Partial<store.Parties>,
  ): Promise<boolean> {
    if (!is_agent_named) await this.#parts.agents.lock(tx, scope.org, scope.agent)
    const kept = await store.insertRecord(tx, {
      id: call,
      scope,
      channel,
      openedAt: this.#parts.clock.now(),
      settings: scopes.map(({ holder, version, picked }) => ({ holder, version, picked })),
      config: nearestSet(scopes) ?? null,
      lexicon,
      canary,
      parties: {
        direction: parties.direction ?? 'inbound',
        caller: parties.caller ?? null,
        called: parties.called ?? null,
        contact: parties.contact ?? null,
        metadata: parties.metadata ?? {},
        language: parties.language ?? languageOf(scopes, declaration),
        extension: parties.extension ?? null,
        beatAt: parties.beatAt ?? null,
      },
      traceparent,
    })
    if (kept) await this.#parts.log.open(tx, callLog({ ...scope, id: call }), runner)
    return kept !== undefined
  }
}

function resolutionOf<Call extends string | null>(
  sources: ResolutionSources,
  scope: SettingsScope,
  call: Call,
  settings?: readonly RanScope[],
) {
  const { record, lexicon, declaration, row, judging, own } = sources
  if (call !== null && record && !isOf(record, scope)) throw unknownCall(call)
  const ran = record?.settings ?? settings
  const scopes = scopesRun(ran ? { settings: [...ran] } : null, sources.scopes, call)
  return {
    call,
    scopes,
    config_version: nearestSet(scopes)?.version ?? null,
    lexicon_version: lexicon?.version ?? null,
    lexicon: lexicon?.content ?? null,
    canary: scopes.some(({ picked }) => picked),
    declaration,
    row,
    judging,
    own,
  }
}

const isOf = (record: Pick<SettingsScope, 'org' | 'agent' | 'env'>, { org, agent, env }: SettingsScope) =>
  record.org === org && record.agent === agent && record.env === env

const languageOf = (scopes: readonly ScopeRun[], declaration: Declaration | null): string | null => {
  const configs = scopes.map(({ config }) => config)
  return new Layers(declaration?.declared ?? {}, configs).get('language') ?? null
}

const isThere = (call: string) => conflict(`there is a call ${call} already`)

const unknownCall = (call: string) => notFound(`there is no call ${call}`)

function channelOf(said = 'web'): Channel {
  const channel = openableChannels.find((known) => known === said)
  if (!channel) throw badRequest(`channel is ${openableChannels.join(' or ')}`)
  return channel
}
