import {
  openableChannels,
  type CallSettings,
  type Channel,
  type OpenCall,
  type OpenedCall,
} from '@switchroom/contract/calls'
import type { ProviderRow } from '@switchroom/contract/providers'
import type { Environment } from '@switchroom/contract/scopes'
import type { Judging, Lexicon } from '@switchroom/contract/settings'
import type { Agents } from '../../agents/agents.ts'
import type { Declaration } from '../../agents/apps/declaration.ts'
import type { RunningGateways } from '../../agents/apps/running-gateways.ts'
import { refuseMalformedSlug, scopeOf, type Scope } from '../../agents/scope.ts'
import type { Database, Queryable, Transaction } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import type { Clock } from '../../foundation/clock.ts'
import { badRequest, notFound } from '../../foundation/refusals.ts'
import type { Log } from '../log/log.ts'
import { callLog } from '../log/stamping.ts'
import { newCallId, refuseMalformedCallId } from './call-ids.ts'
import * as store from './heads.store.ts'
import { readForCall, type Reading } from './reading.store.ts'
import { nearestSet, scopesRun, type ScopeRun } from './versions-run.ts'

/** What a call runs: the versions that are its own for ever, and what stands beside them at this instant. */
export interface Resolution {
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
  /** The vendors the org brought keys for. */
  own: string[]
}

/** Calls, and the versions each runs on: decided once, at the first request that names the call. */
export class CallHeads {
  readonly #database: Database
  readonly #clock: Clock
  readonly #agents: Agents
  readonly #gateways: Pick<RunningGateways, 'id' | 'aliveSince'>
  readonly #log: Log

  constructor(
    database: Database,
    clock: Clock,
    agents: Agents,
    gateways: Pick<RunningGateways, 'id' | 'aliveSince'>,
    log: Log,
  ) {
    this.#database = database
    this.#clock = clock
    this.#agents = agents
    this.#gateways = gateways
    this.#log = log
  }

  async open(caller: Caller, wanted: OpenCall): Promise<OpenedCall> {
    const { agent } = wanted
    const channel = channelOf(wanted.channel)
    const call = newCallId()
    await this.#openFirst(scopeOf(caller, agent), call, channel)
    return { call, agent, env: caller.env }
  }

  /** Without a call: what one that no canary picks would run, of which nothing is kept. */
  async resolve(scope: Scope, call: string | null, channel: Channel): Promise<Resolution> {
    refuseMalformedSlug(scope.agent)
    if (call !== null) refuseMalformedCallId(call)
    const reading = await this.#read(this.#database, scope, call)
    if (call === null || reading.head) return resolutionOf(reading, scope, call)
    return this.#openFirst(scope, call, channel)
  }

  /** One refusal for a call that nobody knows, another org's and one of the other environment. */
  async settingsOf({ org, env }: Caller, call: string): Promise<CallSettings> {
    const settings = await store.findSettings(this.#database, call, org, env)
    if (!settings) throw unknownCall(call)
    return settings
  }

  orgOf(call: string): Promise<{ org: string; slug: string; env: Environment } | undefined> {
    return store.findOrgOfCall(this.#database, call)
  }

  async agentOf({ org, env }: Caller, call: string): Promise<string | undefined> {
    return (await store.findAgentOfCall(this.#database, call, org, env))?.agent
  }

  /** Of several requests that name a new call at one instant, one resolves it and the others read what it kept. */
  #openFirst(scope: Scope, call: string, channel: Channel): Promise<Resolution> {
    return this.#database.transaction(async (tx) => {
      const reading = await this.#read(tx, scope, call)
      const resolution = resolutionOf(reading, scope, call)
      if (reading.head || (await this.#keep(tx, scope, channel, reading, resolution))) return resolution
      return resolutionOf(await this.#read(tx, scope, call), scope, call)
    })
  }

  async #keep(
    tx: Transaction,
    scope: Scope,
    channel: Channel,
    { is_agent_named, lexicon }: Reading,
    { call, scopes, canary }: Resolution & { call: string },
  ): Promise<boolean> {
    if (!is_agent_named) await this.#agents.hold(tx, scope.org, scope.agent)
    const kept = await store.insertHead(tx, {
      id: call,
      scope,
      channel,
      openedAt: this.#clock.now(),
      settings: scopes.map(({ holder, version, picked }) => ({ holder, version, picked })),
      config: nearestSet(scopes) ?? null,
      lexicon,
      canary,
    })
    if (kept) await this.#log.open(tx, callLog({ ...scope, id: call }))
    return kept !== undefined
  }

  #read(database: Queryable, scope: Scope, call: string | null): Promise<Reading> {
    const alive = { own: this.#gateways.id, since: this.#gateways.aliveSince }
    return readForCall(database, scope, call, alive)
  }
}

function resolutionOf<Call extends string | null>(reading: Reading, scope: Scope, call: Call) {
  const { head, lexicon, declaration, row, judging, own } = reading
  if (call !== null && head && !isOf(head, scope)) throw unknownCall(call)
  const scopes = scopesRun(head, reading.scopes, call)
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

const isOf = (head: Pick<Scope, 'org' | 'agent' | 'env'>, { org, agent, env }: Scope) =>
  head.org === org && head.agent === agent && head.env === env

const unknownCall = (call: string) => notFound(`there is no call ${call}`)

function channelOf(said = 'web'): Channel {
  const channel = openableChannels.find((known) => known === said)
  if (!channel) throw badRequest(`channel is ${openableChannels.join(' or ')}`)
  return channel
}
