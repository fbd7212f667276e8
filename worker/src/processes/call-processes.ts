import { fork, type ChildProcess } from 'node:child_process'
import type { Socket } from 'node:dgram'
import { getCompileCacheDir } from 'node:module'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { FromProcess, ToProcess } from '../process-messages.ts'

const program = fileURLToPath(new URL('../call-process.main.ts', import.meta.url))

/** A process that runs a few calls. */
export class CallProcessHandle {
  readonly calls = new Set<string>()
  /** Once it can take calls, or has ended. */
  readonly settled: Promise<void>
  isReady = false
  isOver = false
  readonly #child: ChildProcess
  readonly #settle: () => void

  constructor(child: ChildProcess) {
    this.#child = child
    const { promise, resolve } = Promise.withResolvers<void>()
    this.settled = promise
    this.#settle = resolve
    child.once('message', () => {
      this.isReady = true
      resolve()
    })
  }

  /** It has ended. */
  over(): void {
    this.isOver = true
    this.#settle()
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  send(message: ToProcess): void {
    // one that is gone is noticed by its end
    if (this.#child.connected) this.#child.send(message, () => {})
  }

  /** With a socket that it has from then on, too. Resolves once both are on their way. */
  async sendSocket(message: ToProcess, socket: Socket): Promise<void> {
    if (!this.#child.connected) return
    await new Promise<void>((resolve) => this.#child.send(message, socket, () => resolve()))
  }

  /** It exits by itself once its last call has ended. */
  letGo(): void {
    if (this.#child.connected) this.#child.disconnect()
  }
}

export interface CallProcessesParts {
  worker: string
  callsPerProcess: number
  logger: Logger
  onMessage: (process: CallProcessHandle, message: FromProcess) => void
  /** It ended while it ran these. */
  onLost: (calls: string[]) => void
}

/** Few calls to a process, so that one that breaks takes few with it; one is always ready and waits. */
export class CallProcesses {
  readonly #parts: CallProcessesParts
  readonly #all = new Set<CallProcessHandle>()
  #isOver = false

  constructor(parts: CallProcessesParts) {
    this.#parts = parts
  }

  /** The process for a call, which counts as its own from now on. */
  take(call: string): CallProcessHandle {
    const fullest = this.#fitting.toSorted((a, b) => b.calls.size - a.calls.size)
    const taken = fullest.find(({ isReady }) => isReady) ?? fullest[0] ?? this.#start()
    taken.calls.add(call)
    this.keepOneReady()
    return taken
  }

  /** A process has room and is ready, or none was in time: loading one takes a moment. */
  async untilReady(withinMs: number): Promise<void> {
    if (this.#fitting.length === 0) this.#start()
    if (this.#fitting.some(({ isReady }) => isReady)) return
    const late = sleep(withinMs, undefined, { ref: false })
    await Promise.race([late, ...this.#fitting.map(({ settled }) => settled)])
  }

  /** The call is over; a process that runs none any more goes, unless it is the one that waits. */
  giveBack(process: CallProcessHandle, call: string): void {
    process.calls.delete(call)
    if (process.calls.size > 0) return
    const spare = [...this.#all].find((other) => other !== process && other.calls.size === 0)
    // of the two the one that can take a call stays: loading the other would take a moment
    if (spare) this.#letGo(process.isReady && !spare.isReady ? spare : process)
  }

  keepOneReady(): void {
    if (this.#isOver || [...this.#all].some(({ calls }) => calls.size === 0)) return
    try {
      this.#start()
    } catch (error) {
      // running calls continue, and the next call requests a process again
      this.#parts.logger.error({ err: error }, 'a process of calls could not be started')
    }
  }

  sendAll(message: ToProcess): void {
    for (const process of this.#all) process.send(message)
  }

  stop(): void {
    this.#isOver = true
    for (const process of this.#all) this.#letGo(process)
  }

  get #fitting(): CallProcessHandle[] {
    return [...this.#all].filter(({ calls }) => calls.size < this.#parts.callsPerProcess)
  }

  #letGo(process: CallProcessHandle): void {
    this.#all.delete(process)
    process.letGo()
  }

  #start(): CallProcessHandle {
    const { worker, logger, onMessage, onLost } = this.#parts
    const cache = process.env['NODE_COMPILE_CACHE'] ?? getCompileCacheDir()
    const child = fork(program, [worker], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      // a library that joins rooms writes down all it does, unless NODE_ENV says otherwise
      env: {
        NODE_ENV: 'production',
        ...process.env,
        ...(cache !== undefined && { NODE_COMPILE_CACHE: cache }),
      },
    })
    const started = new CallProcessHandle(child)
    this.#all.add(started)
    child.on('message', (message) => onMessage(started, message as FromProcess))
    const over = (status: number | null, signal: NodeJS.Signals | null) => {
      started.over()
      const isKnown = this.#all.delete(started)
      const calls = [...started.calls]
      started.calls.clear()
      if (!isKnown && calls.length === 0) return
      logger.error({ status, signal, calls: calls.length }, 'a process of calls ended')
      onLost(calls)
      // one that cannot even start would be started for ever
      if (calls.length > 0) this.keepOneReady()
    }
    child.once('exit', over)
    child.on('error', (error) => {
      logger.error({ err: error }, 'a process of calls could not be reached')
      if (child.pid === undefined) over(null, null) // one that never began does not end
    })
    return started
  }
}
