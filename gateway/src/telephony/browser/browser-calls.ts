import type { OpenBrowserCall, OpenedBrowserCall } from '@switchroom/contract/browser-calls'
import type { Environment } from '@switchroom/contract/scopes'
import type { MediaPlane } from '@switchroom/media/plane'
import type { Logger } from 'pino'
import { scopeOf, type SettingsScope } from '../../agents/scope.ts'
import { newCallId } from '../../calls/records/call-ids.ts'
import { readMetadata } from '../../calls/records/call-metadata.ts'
import type { CallRecords } from '../../calls/records/records.ts'
import type { Log } from '../../calls/log/log.ts'
import { callLog } from '../../calls/log/entries.ts'
import { keyless } from '../../calls/spoken/missing-keys.ts'
import type { WorkerAnswers } from '../../calls/spoken/worker.ts'
import type { Check } from '../../database/due-checks.ts'
import type { Database, Queryable, Transaction } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { hourMs, later, secondMs, type Clock } from '../../foundation/clock.ts'
import type { IceSettings } from '../../foundation/ice-settings.ts'
import { conflict } from '../../foundation/refusals.ts'
import { digestOf, newSecret } from '../../foundation/secrets.ts'
import { offersPath } from '../worker-offers/sound-offers.ts'
import * as store from './browser-calls.store.ts'
import { iceServersFor } from './ice-servers.ts'

const tokenPrefix = 'pt_'
const usualLifetimeS = 60
/** A browser that came just before the token expired may still wait for its worker. */
const graceMs = 30 * secondMs
const keptMs = hourMs

export interface BrowserCallParts {
  database: Database
  clock: Clock
  logger: Logger
  records: CallRecords
  log: Log
  planes: { of(env: Environment): MediaPlane }
  fleets: Record<Environment, string>
  baseUrl: string
  ice: IceSettings
  missingKeys: WorkerAnswers['missingKeys']
}

/** Spoken calls that browsers open with a token: a caller with a key asks for it and hands it to the page. */
export class BrowserCalls {
  readonly #parts: BrowserCallParts

  constructor(parts: BrowserCallParts) {
    this.#parts = parts
  }

  async open(caller: Caller, wanted: OpenBrowserCall): Promise<OpenedBrowserCall> {
    const { clock, records, planes, fleets, ice } = this.#parts
    const { agent, ttl_s = usualLifetimeS } = wanted
    const metadata = readMetadata(wanted.metadata ?? {})
    const scope = scopeOf(caller, agent)
    const { org, env } = scope
    const call = newCallId()
    const expiresAt = later(clock.now(), ttl_s * secondMs)
    const ticket = await planes.of(env).ticket({ call, org, env, agent, fleet: fleets[env], ttlS: ttl_s })
    const token = ticket?.token ?? newSecret(tokenPrefix)
    const digest = ticket ? null : digestOf(token)
    await records.begin(scope, call, {
      channel: 'web',
      metadata,
      entries: () => [],
      judge: async ({ declaration }) => {
        if (!declaration)
          throw conflict(`no app holds ${agent} in ${env}: connect one, and call again`).as('AGENT_OFFLINE')
        await this.#refuseMute(caller, scope)
      },
      alsoInTransaction: async (tx) =>
        void (await store.insertBrowserCall(tx, { call, org, env, digest, expiresAt })),
    })
    return {
      call,
      server_url: ticket?.url ?? this.#parts.baseUrl + offersPath,
      participant_token: token,
      expires_at: Math.floor(expiresAt.getTime() / 1000),
      ice_servers: ticket ? [] : iceServersFor(ice, call, clock.now()),
    }
  }

  /** Ends the calls whose tokens were not used in time. */
  get due(): Check {
    return store.unusedCheck(this.#unusedSince)
  }

  async poll() {
    const { database, logger } = this.#parts
    const since = this.#unusedSince
    for (const { call } of await store.listUnused(database, since))
      await database
        .transaction((tx) => this.#endUnused(tx, call, since))
        .catch((error: unknown) => logger.warn({ err: error, call }, "a browser's call was not ended"))
  }

  async deleteExpired(database: Queryable = this.#parts.database) {
    await store.forgetUsed(database, later(this.#parts.clock.now(), -keptMs))
  }

  get #unusedSince(): Date {
    return later(this.#parts.clock.now(), -graceMs)
  }

  async #refuseMute({ org, slug, env }: Caller, scope: SettingsScope) {
    const missing = await this.#parts.missingKeys({ org, slug, env }, scope)
    if (missing.length > 0) throw keyless(scope.agent, missing)
  }

  /** Does nothing if a worker took the call before its log was locked. */
  async #endUnused(tx: Transaction, call: string, since: Date) {
    const { log } = this.#parts
    const held = await log.lock(tx, call)
    if (!held || held.sealed || !(await store.findUnused(tx, since, call))) return
    await log.appendIn(tx, callLog({ ...held, id: call }), [
      { type: 'call.ended', data: { reason: 'no_answer' } },
    ])
  }
}
