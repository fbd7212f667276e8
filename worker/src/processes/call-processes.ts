import { fork } from 'node:child_process'
import { getCompileCacheDir } from 'node:module'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { FromProcess, ToProcess } from '../process-messages.ts'
import { CallProcessHandle } from './call-process-handle.ts'
import type { LentVendors } from './lent-vendors.ts'

const program = fileURLToPath(new URL('../call-process.main.ts', import.meta.url))
/** Loading a process takes a core for seconds, which calls that begin need more. */
const quietMs = 1_500
/** One that ends sooner after its start than this may do so again and again. */
const soonMs = 60_000
const pauses = { firstMs: 1_000, longestMs: 60_000 }

export interface CallProcessesParts {
  worker: string
  /** How many calls run at the same time. */
  capacity: number
  callsPerProcess: number
  /** For so many calls there is always room in processes that are ready. */
  placesAhead: number
  /** Whether calls may use vendors that run on this machine. */
  usesMachine: () => boolean
  lent: LentVendors
  logger: Logger
  onMessage: (process: CallProcessHandle, message: FromProcess) => void
  /** It ended while it ran these. */
  onLost: (calls: string[]) => void
}

/** Few calls to a process, so that one that breaks takes few with it; some are always ready and wait. */
export class CallProcesses {
  readonly #parts: CallProcessesParts
  readonly #all = new Set<CallProcessHandle>()
  #isOver = false
  #takenMs = -Infinity
  /** How many ended soon after their start without a call, in a row. */
  #endedSoon = 0
  #refilling: NodeJS.Timeout | undefined

  constructor(parts: CallProcessesParts) {
    this.#parts = parts
  }

  get count(): number {
    return this.#all.size
  }

  /** Of the event loop of any process. */
  get longestDelayMs(): number {
    return Math.max(0, ...[...this.#all].map(({ longestDelayMs }) => longestDelayMs))
  }

  /** Starts those that wait for calls; resolves once they are ready, and rejects if none can be. */
  async fill(): Promise<void> {
    const mostAtOnce = availableParallelism()
    for (let missing = this.#missing; missing > 0; missing -= mostAtOnce) {
      const length = Math.min(missing, mostAtOnce)
      const started = Array.from({ length }, () => this.#start())
      await Promise.all(started.map(({ settled }) => settled))
      if (!started.some(({ isReady }) => isReady))
        throw new Error('no call process could be started: the log says why')
    }
  }

  /** The process for a call, which counts as its own from now on. */
  take(call: string): CallProcessHandle {
    const ready = this.#fitting.filter(({ isReady }) => isReady)
    // side by side if several begin at once, else together, so that the others may go
    const [best] = ready.toSorted((a, b) => a.beginning - b.beginning || b.calls.size - a.calls.size)
    const taken = best ?? this.#fitting[0] ?? this.#start()
    taken.take(call)
    this.#takenMs = performance.now()
    this.#refill()
    return taken
  }

  /** A process has room and is ready, or none was in time: loading one takes a moment. */
  async untilReady(withinMs: number): Promise<void> {
    if (this.#fitting.length === 0) this.#start()
    if (this.#fitting.some(({ isReady }) => isReady)) return
    const late = sleep(withinMs, undefined, { ref: false })
    await Promise.race([late, ...this.#fitting.map(({ settled }) => settled)])
  }

  /** The call is over; a process that runs none any more goes, unless it is one of those that wait. */
  giveBack(process: CallProcessHandle, call: string): void {
    process.calls.delete(call)
    if (process.calls.size > 0) return
    // first one that still loads: it would take a moment until it can take a call
    const empty = [...this.#all].filter(({ calls }) => calls.size === 0)
    for (const spare of empty.toSorted((a, b) => Number(a.isReady) - Number(b.isReady)))
      if (this.#places - this.#parts.callsPerProcess >= this.#wanted) this.#letGo(spare)
  }

  sendAll(message: ToProcess): void {
    for (const process of this.#all) process.send(message)
  }

  stop(): void {
    this.#isOver = true
    clearTimeout(this.#refilling)
    for (const process of this.#all) this.#letGo(process)
  }

  get #fitting(): CallProcessHandle[] {
    return [...this.#all].filter(({ calls }) => calls.size < this.#parts.callsPerProcess)
  }

  get #places(): number {
    const { callsPerProcess } = this.#parts
    return this.#fitting.reduce((sum, { calls }) => sum + callsPerProcess - calls.size, 0)
  }

  /** Places, for the calls that the worker can still take. */
  get #wanted(): number {
    const { placesAhead, capacity } = this.#parts
    const running = [...this.#all].reduce((sum, { calls }) => sum + calls.size, 0)
    return Math.min(placesAhead, capacity - running)
  }

  /** Processes, besides those that are there or being loaded. */
  get #missing(): number {
    return Math.ceil((this.#wanted - this.#places) / this.#parts.callsPerProcess)
  }

  get #hasEnough(): boolean {
    return this.#isOver || this.#missing <= 0
  }

  /** One at a time, and not while calls begin, unless a call waits for it. */
  #refill(): void {
    clearTimeout(this.#refilling)
    if (this.#hasEnough || [...this.#all].some(({ isReady }) => !isReady)) return
    const waitMs = Math.max(0, this.#takenMs + quietMs - performance.now(), this.#pauseMs)
    this.#refilling = setTimeout(() => this.#refillNow(), waitMs)
    this.#refilling.unref()
  }

  #refillNow(): void {
    if (this.#hasEnough) return
    try {
      this.#start()
    } catch (error) {
      // running calls continue, and the next call requests a process again
      this.#parts.logger.error({ err: error }, 'a process of calls could not be started')
    }
  }

  get #pauseMs(): number {
    return this.#endedSoon === 0
      ? 0
      : Math.min(pauses.longestMs, pauses.firstMs * 2 ** Math.min(this.#endedSoon - 1, 10))
  }

  #letGo(process: CallProcessHandle): void {
    this.#all.delete(process)
    process.letGo()
  }

  #start(): CallProcessHandle {
    const { worker, usesMachine, lent, logger, onMessage, onLost } = this.#parts
    const cache = process.env['NODE_COMPILE_CACHE'] ?? getCompileCacheDir()
    const child = fork(program, [worker, lent.names, ...(usesMachine() ? ['machine'] : [])], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc', ...lent.pipes],
      // a library that joins rooms writes down all it does, unless NODE_ENV says otherwise
      env: {
        NODE_ENV: 'production',
        ...process.env,
        ...(cache !== undefined && { NODE_COMPILE_CACHE: cache }),
      },
    })
    lent.lendTo(child)
    const started = new CallProcessHandle(child)
    this.#all.add(started)
    void started.settled.then(() => this.#refill())
    child.on('message', (message) => onMessage(started, message as FromProcess))
    const over = (status: number | null, signal: NodeJS.Signals | null) => {
      const isKnown = this.#all.delete(started)
      const calls = [...started.calls]
      if (isKnown) this.#endedSoon = calls.length === 0 && started.ageMs < soonMs ? this.#endedSoon + 1 : 0
      started.over()
      started.calls.clear()
      if (!isKnown && calls.length === 0) return
      logger.error({ status, signal, calls: calls.length }, 'a process of calls ended')
      onLost(calls)
      this.#refill()
    }
    child.once('exit', over)
    child.on('error', (error) => {
      logger.error({ err: error }, 'a process of calls could not be reached')
      if (child.pid === undefined) over(null, null) // one that never began does not end
    })
    return started
  }
}
