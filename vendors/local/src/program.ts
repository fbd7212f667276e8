import { spawn, type ChildProcessByStdio } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import type { Socket } from 'node:net'
import { silent } from '@switchroom/kit/failures'
import type { Exchange } from './exchange.ts'
import { Exchanges } from './exchanges.ts'
import { frameOf, lineOf, MessageReader, type Message } from './messages.ts'

/** Of JavaScript's own heap; samples and weights lie outside it and are bounded by what is asked for. */
const heap = '--max-old-space-size=256'

export interface ProgramOf {
  /** As a sentence begins with it: "the local voice". */
  name: string
  /** Throws a `VendorFailure` if it is not installed. */
  entry: () => string
  /** Its arguments, read when it starts. */
  options?: () => string[]
  idleMs: number
  /** It answers nothing before it has loaded. */
  loadsWithinMs: number
  /** A program that has loaded and is silent for twice as long hangs, and is killed. */
  pulseMs: number
}

/**
 * A program of ours that runs beside the host: started when it is first asked, started again after it died,
 * ended when it is idle. It never keeps the host from ending, and ends with it.
 */
export class Program {
  readonly #of: ProgramOf
  #running: Running | undefined

  constructor(of: ProgramOf) {
    this.#of = of
  }

  /** Requests that are under way. */
  get load(): number {
    return this.#running?.load ?? 0
  }

  /** Not yet started, or ended. */
  get isDown(): boolean {
    return this.#running === undefined || this.#running.hasEnded
  }

  get hasLoaded(): boolean {
    return !this.isDown && this.#running?.hasAnswered === true
  }

  /** Loads it for requests to come. */
  start(): void {
    this.#up().rest()
  }

  /** The exchange is cancelled when `signal` aborts. */
  ask(message: Message, signal: AbortSignal): Exchange {
    signal.throwIfAborted()
    return this.#up().exchanges.begin(message, signal)
  }

  #up(): Running {
    if (!this.#running || this.#running.hasEnded) this.#running = new Running(this.#of)
    return this.#running
  }
}

class Running {
  readonly exchanges = new Exchanges({
    write: (message, bytes) => this.#send(message, bytes),
    onBusy: () => this.#work(),
    onIdle: () => this.rest(),
  })
  readonly #name: string
  readonly #idleMs: number
  readonly #loadsWithinMs: number
  readonly #pulseMs: number
  readonly #startedMs = performance.now()
  readonly #child: ChildProcessByStdio<Writable, Readable, null>
  #idle: NodeJS.Timeout | undefined
  #pulse: NodeJS.Timeout | undefined
  #isAwaited = false
  #words: string | undefined
  hasAnswered = false
  hasEnded = false

  constructor({ name, entry, options, idleMs, loadsWithinMs, pulseMs }: ProgramOf) {
    this.#name = name
    this.#idleMs = idleMs
    this.#loadsWithinMs = loadsWithinMs
    this.#pulseMs = pulseMs
    const program = [heap, entry(), ...(options?.() ?? [])]
    this.#child = spawn(process.execPath, program, {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: environment(),
    })
    this.#child.on('error', (error) => this.#ended(error.message)) // first: without pipes the next line throws
    for (const pipe of this.#pipes()) pipe.on('error', () => {}) // it died; 'close' says so
    const reader = new MessageReader()
    this.#child.stdout.on('data', (chunk: Buffer) => {
      try {
        for (const { message, bytes } of reader.read(chunk)) this.#heard(message, bytes)
      } catch {
        this.#giveUp('sent unreadable output')
      }
    })
    this.#child.on('exit', () => (this.hasEnded = true))
    this.#child.on('close', (status, signal) => this.#ended(signal ?? `status ${status}`))
    this.#send({ type: 'ping' }) // its answer says that it has loaded
  }

  get load(): number {
    return this.exchanges.size
  }

  #send(message: Message, bytes?: Uint8Array) {
    if (this.#child.stdin.destroyed) return
    this.#child.stdin.write(bytes ? frameOf(message, bytes) : lineOf(message))
  }

  #heard(message: Message, bytes: Uint8Array) {
    this.#isAwaited = false
    this.hasAnswered = true
    if (message.type === 'failed') this.#words = String(message['words'])
    else this.exchanges.answered({ message, bytes })
  }

  #ended(how: string) {
    this.hasEnded = true
    clearTimeout(this.#idle)
    clearInterval(this.#pulse)
    this.exchanges.failAll(
      silent(this.#words ?? `${this.#name} stopped before the answer was complete (${how})`),
    )
  }

  #work() {
    clearTimeout(this.#idle)
    this.#child.ref()
    for (const pipe of this.#pipes()) pipe.ref()
    this.#isAwaited = false
    this.#pulse = setInterval(() => this.#feelPulse(), this.#pulseMs)
  }

  /** Ends by itself if nothing is asked for long. */
  rest() {
    if (this.load > 0) return
    this.#child.unref()
    for (const pipe of this.#pipes()) pipe.unref()
    clearInterval(this.#pulse)
    clearTimeout(this.#idle)
    if (this.hasEnded) return
    this.#idle = setTimeout(() => this.#giveUp('was not needed'), this.#idleMs).unref()
  }

  #feelPulse() {
    if (!this.hasAnswered && performance.now() - this.#startedMs < this.#loadsWithinMs) return
    // after what came while this process had no time for it is read
    if (this.#isAwaited) setImmediate(() => this.#isAwaited && this.#giveUp('did not answer any more'))
    else {
      this.#isAwaited = true
      this.#send({ type: 'ping' })
    }
  }

  #giveUp(why: string) {
    this.#words ??= `${this.#name} ${why}`
    this.hasEnded = true
    this.#child.kill('SIGKILL')
  }

  /** The pipes to a child are sockets, which its types do not say. */
  #pipes(): Socket[] {
    return [this.#child.stdin, this.#child.stdout] as unknown as Socket[]
  }
}

/** Nothing of the host's settings, which hold its keys; and the runtime of the weights sends no reports. */
function environment(): NodeJS.ProcessEnv {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  return {
    PATH,
    ORT_DISABLE_TELEMETRY: '1',
    // what loading the weights took and freed goes back to the machine (glibc)
    MALLOC_MMAP_THRESHOLD_: '65536',
    MALLOC_TRIM_THRESHOLD_: '131072',
    ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
  }
}
