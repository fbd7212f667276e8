import type { Signals } from '../../database/signals.ts'
import { secondMs } from '../../foundation/clock.ts'
import * as store from './running.store.ts'
import { WrittenCall, type WrittenCallParts } from './written-call.ts'

const pollEveryMs = secondMs
/** Almost from one look to the next: a connection that broke is back by then. */
const deadAfterMs = 0.9 * secondMs
const takenAtOnce = 100

export interface WrittenParts extends WrittenCallParts {
  signals: Signals
}

/** The written calls that this gateway runs: those opened here, and those that others left behind. */
export class WrittenCalls {
  readonly #parts: WrittenParts
  readonly #running = new Map<string, WrittenCall>()
  /** Since when gateways have given no sign of life, by their names. */
  #silentSinceMs = new Map<string, number>()
  /** Calls that are this gateway's by their logs, and that it does not run: given up at the next look. */
  readonly #unrun = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  #taking: Promise<void> | undefined
  #isStopped = false

  constructor(parts: WrittenParts) {
    this.#parts = parts
    parts.signals.prove(store.proofOfLife, parts.gateways.id)
    parts.signals.on(
      store.givenUpChannel,
      () => this.#takeUp(),
      () => void this.#letGoOfOthers(),
    )
  }

  start() {
    this.#timer = setInterval(() => this.poll(), pollEveryMs)
    this.#timer.unref()
    this.#takeUp()
  }

  /** Other gateways take the calls up at once; turns under way are begun anew there. */
  async stop() {
    this.#isStopped = true
    clearInterval(this.#timer)
    await this.#taking
    const calls = [...this.#running.values()]
    await Promise.all(calls.map((call) => call.leave()))
    await this.#giveUp([...calls.map(({ head }) => head.id), ...this.#unrun])
  }

  /** A call whose log says that this gateway runs it. */
  run(head: store.WrittenHead, isFresh: boolean) {
    if (this.#isStopped) void this.#giveUp([head.id])
    else this.#start(head, isFresh)
  }

  #start(head: store.WrittenHead, isFresh: boolean) {
    const call = new WrittenCall(head, this.#parts, isFresh, () => {
      if (this.#running.get(head.id) === call) this.#running.delete(head.id)
    })
    void this.#running.get(head.id)?.leave()
    this.#running.set(head.id, call)
    call.start().catch(async (error: unknown) => {
      this.#parts.logger.error({ err: error, call: head.id }, 'a written call could not be run')
      await call.leave()
      this.#unrun.add(head.id)
    })
  }

  poll() {
    const now = this.#parts.clock.now()
    for (const call of this.#running.values()) call.poll(now)
    const unrun = [...this.#unrun]
    this.#unrun.clear()
    void this.#giveUp(unrun)
    this.#takeUp()
  }

  #takeUp() {
    if (this.#isStopped) return
    this.#taking ??= this.#takeAll()
      .catch((error: unknown) => this.#parts.logger.warn({ err: error }, 'calls of others were not taken up'))
      .finally(() => (this.#taking = undefined))
  }

  async #takeAll() {
    const { database, gateways, logger } = this.#parts
    for (;;) {
      const taken = await database.transaction(async (tx) => {
        const dead = this.#deadAmong(await store.findSilent(tx, gateways.id, gateways.aliveSince))
        if (dead.length === 0) return []
        await gateways.forget(tx, dead)
        return store.claimOf(tx, gateways.id, dead, takenAtOnce)
      })
      if (taken.length > 0) logger.info({ calls: taken.length }, 'took up calls that no gateway ran')
      for (const head of taken) this.run(head, false)
      if (taken.length < takenAtOnce || this.#isStopped) return
    }
  }

  #deadAmong(silent: readonly string[]): string[] {
    const nowMs = performance.now()
    const sinceMs = new Map(silent.map((id) => [id, this.#silentSinceMs.get(id) ?? nowMs]))
    this.#silentSinceMs = sinceMs
    return silent.filter((id) => store.hasNoRunner(id) || nowMs - (sinceMs.get(id) ?? nowMs) >= deadAfterMs)
  }

  /** While this gateway could not be heard, others may have taken its calls for their own. */
  async #letGoOfOthers() {
    const { database, gateways, logger } = this.#parts
    const calls = [...this.#running.values()] // not those that are opened while the logs are read
    try {
      const own = new Set(await store.listRun(database, gateways.id))
      for (const call of calls) if (!own.has(call.head.id)) void call.leave()
    } catch (error) {
      logger.warn({ err: error }, 'whether others run the calls of this gateway is unknown')
    }
  }

  async #giveUp(ids: readonly string[]) {
    if (ids.length === 0) return
    try {
      await store.giveUpAll(this.#parts.database, this.#parts.gateways.id, ids)
    } catch (error) {
      this.#parts.logger.warn({ err: error }, 'calls were not given up')
      for (const id of ids) this.#unrun.add(id)
    }
  }
}
