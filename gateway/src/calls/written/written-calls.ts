import { environments } from '@switchroom/contract/scopes'
import type { Reading } from '@switchroom/process/meters'
import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import { aboutCall } from '../log/entries.ts'
import { isTestCall } from '../log/test-call-ids.ts'
import { placeOf, runAt } from '@switchroom/telemetry/tracing'
import type { Check, DueChecks } from '../../database/due-checks.ts'
import type { DirectConnection } from '../../database/direct-connection.ts'
import { GatewaySilence, type UnlockedGateway } from '../../database/gateway-silence.ts'
import type { Signals } from '../../database/signals.ts'
import { secondMs } from '../../foundation/clock.ts'
import * as store from './written-calls.store.ts'
import { WrittenCall, type WrittenCallParts } from './written-call.ts'

const pollEveryMs = secondMs
const claimedAtOnce = 100
/** In one statement, those of them that wait for an app; the next look takes the next ones. */
const mostLookedFor = 1000

export interface WrittenParts extends WrittenCallParts {
  signals: Signals
  directConnection: DirectConnection
  dueChecks: DueChecks
}

/** The written calls that this gateway runs: those opened here, and those adopted from other gateways. */
export class WrittenCalls {
  readonly #parts: WrittenParts
  readonly #running = new Map<string, WrittenCall>()
  readonly #silence = new GatewaySilence()
  /** Calls whose logs name this gateway although it does not run them: released at the next poll. */
  readonly #unrun = new Set<string>()
  readonly task: PeriodicTask = {
    name: 'take up written calls',
    everyMs: pollEveryMs,
    runsAtStart: true,
    run: () => this.#isStopped || this.#pollCalls(),
  }
  readonly adoptionTask: PeriodicTask = {
    name: 'adopt calls that have no gateway',
    everyMs: pollEveryMs,
    runsAtStart: true,
    run: async () => {
      const isAny = await this.#parts.dueChecks.runIfAny(this.#orphans, () => this.#adoptOrphans())
      if (!isAny) this.#silence.deadAmong([], performance.now())
    },
  }
  #adopting: Promise<void> | undefined
  #lookedTo = 0
  #isStopped = false

  constructor(parts: WrittenParts) {
    this.#parts = parts
    parts.directConnection.prove(store.proofOfLife, parts.gateways.id)
    parts.directConnection.onReopened(() => void this.#leaveAdopted())
    parts.signals.on(store.releasedCallsChannel, () => this.#adoptOrphans())
  }

  /** Other gateways adopt the calls at once and repeat turns under way. */
  async stop() {
    this.#isStopped = true
    await this.#adopting
    const calls = [...this.#running.values()]
    await Promise.all(calls.map((call) => call.leave()))
    await this.#release([...calls.map(({ record }) => record.id), ...this.#unrun])
  }

  /** A call whose log says that this gateway runs it. */
  run(record: store.WrittenCallRecord, isFresh: boolean) {
    if (this.#isStopped) void this.#release([record.id])
    else runAt(placeOf(record.traceparent), () => this.#start(record, isFresh))
  }

  /** By channel and environment, without tests. */
  countLive(): Reading[] {
    const counts = new Map<string, number>()
    for (const channel of ['chat', 'msgapp'])
      for (const env of environments) counts.set(`${channel} ${env}`, 0)
    for (const { record } of this.#running.values()) {
      if (isTestCall(record.id)) continue
      const kind = `${record.channel} ${record.env}`
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
    }
    return Array.from(counts, ([kind, calls]) => [calls, ...kind.split(' ')] as const)
  }

  #start(record: store.WrittenCallRecord, isFresh: boolean) {
    const call = new WrittenCall(record, this.#parts, isFresh, () => {
      if (this.#running.get(record.id) === call) this.#running.delete(record.id)
    })
    void this.#running.get(record.id)?.leave()
    this.#running.set(record.id, call)
    call.start().catch(async (error: unknown) => {
      this.#parts.logger.error({ err: error, ...aboutCall(record) }, 'a written call could not be started')
      await call.leave()
      this.#unrun.add(record.id)
    })
  }

  poll() {
    void this.#pollCalls()
    this.#adoptOrphans()
  }

  async #pollCalls() {
    const now = this.#parts.clock.now()
    for (const call of this.#running.values()) call.poll(now)
    const unrun = [...this.#unrun]
    this.#unrun.clear()
    void this.#release(unrun)
    await this.#findApps()
  }

  /** One statement for all calls that wait for an app, however many. */
  async #findApps() {
    const waiting = this.#running
      .values()
      .filter(({ awaitsApp }) => awaitsApp)
      .toArray()
    const from = this.#lookedTo < waiting.length ? this.#lookedTo : 0
    const ids = waiting.slice(from, from + mostLookedFor).map(({ record }) => record.id)
    this.#lookedTo = from + ids.length
    if (ids.length === 0) return
    try {
      for (const id of await this.#parts.appRequests.servedAmong(ids)) this.#running.get(id)?.appConnected()
    } catch (error) {
      this.#parts.logger.warn({ err: error }, 'apps for calls that wait could not be looked for')
    }
  }

  get #orphans(): Check {
    return store.unlockedCheck(this.#parts.gateways.id)
  }

  #adoptOrphans() {
    if (this.#isStopped) return
    this.#adopting ??= this.#adoptAll()
      .catch((error: unknown) => {
        this.#silence.restart()
        this.#parts.logger.warn({ err: error }, 'calls without a gateway could not be adopted')
      })
      .finally(() => (this.#adopting = undefined))
  }

  async #adoptAll() {
    const { database, gateways, logger } = this.#parts
    for (;;) {
      const claimed = await database.transaction(async (tx) => {
        const dead = this.#deadAmong(await store.findUnlocked(tx, gateways.id))
        if (dead.length === 0) return []
        await gateways.forget(tx, dead)
        return store.claimCalls(tx, gateways.id, dead, claimedAtOnce)
      })
      if (claimed.length > 0) logger.info({ calls: claimed.length }, 'adopted calls that had no gateway')
      for (const record of claimed) this.run(record, false)
      if (claimed.length < claimedAtOnce || this.#isStopped) return
    }
  }

  #deadAmong(unlocked: readonly UnlockedGateway[]): string[] {
    const released = unlocked.map(({ id }) => id).filter(store.isUnassignedRunner)
    const others = unlocked.filter(({ id }) => !store.isUnassignedRunner(id))
    return [...released, ...this.#silence.deadAmong(others, performance.now())]
  }

  /** While this gateway had no connection, other gateways may have adopted its calls. */
  async #leaveAdopted() {
    const { database, gateways, logger } = this.#parts
    const calls = [...this.#running.values()] // not calls that are opened while the logs are read
    try {
      const own = new Set(await store.listCallsOf(database, gateways.id))
      for (const call of calls) if (!own.has(call.record.id)) void call.leave()
    } catch (error) {
      logger.warn({ err: error }, 'calls that other gateways adopted could not be listed')
    }
  }

  async #release(ids: readonly string[]) {
    if (ids.length === 0) return
    try {
      const { database, gateways, signals } = this.#parts
      const released = await store.releaseCalls(database, gateways.id, ids)
      if (released.length > 0) signals.send(store.releasedCallsChannel)
    } catch (error) {
      this.#parts.logger.warn({ err: error }, 'calls could not be released')
      for (const id of ids) this.#unrun.add(id)
    }
  }
}
