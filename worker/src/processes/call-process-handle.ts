import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:dgram'
import type { ToProcess } from '../process-messages.ts'

/** A call that began so recently still keeps its process busy. */
const beginningMs = 1_000
/** What a process told longer ago than this is over. */
const delayKnownMs = 25_000

/** A process that runs a few calls. */
export class CallProcessHandle {
  readonly calls = new Set<string>()
  /** Once it can take calls, or has ended. */
  readonly settled: Promise<void>
  isReady = false
  isOver = false
  readonly #child: ChildProcess
  readonly #settle: () => void
  readonly #startedMs = performance.now()
  #takenMs: number[] = []
  #delay = { longestMs: 0, toldMs: -Infinity }

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

  get ageMs(): number {
    return performance.now() - this.#startedMs
  }

  /** How many calls it began a moment ago. */
  get beginning(): number {
    const since = performance.now() - beginningMs
    this.#takenMs = this.#takenMs.filter((takenMs) => takenMs > since)
    return this.#takenMs.length
  }

  /** Of its event loop, as it told last. */
  get longestDelayMs(): number {
    return performance.now() - this.#delay.toldMs < delayKnownMs ? this.#delay.longestMs : 0
  }

  tellDelay(longestMs: number): void {
    this.#delay = { longestMs, toldMs: performance.now() }
  }

  take(call: string): void {
    this.calls.add(call)
    this.#takenMs.push(performance.now())
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
