import { spawn, type ChildProcessByStdio } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import type { Socket } from 'node:net'
import { silent } from '@switchroom/kit/failures'
import { Exchange } from './exchange.ts'
import { lineOf, MessageReader, type Message } from './messages.ts'

/** Of JavaScript's own heap; samples and weights lie outside it and are bounded by what is asked for. */
const mostHeapMb = 256

export interface ProgramOf {
  /** As a sentence begins with it: "the local voice". */
  name: string
  /** Throws a `VendorFailure` if it is not installed. */
  entry: () => string
  idleMs: number
  /** A program that is silent for twice as long hangs, and is killed. */
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

  /** The exchange is cancelled when `signal` aborts. */
  ask(message: Message, signal: AbortSignal): Exchange {
    signal.throwIfAborted()
    if (!this.#running || this.#running.hasEnded) this.#running = new Running(this.#of)
    return this.#running.open(message, signal)
  }
}

class Running {
  readonly #name: string
  readonly #idleMs: number
  readonly #pulseMs: number
  readonly #child: ChildProcessByStdio<Writable, Readable, null>
  readonly #exchanges = new Map<number, Exchange>()
  #lastId = 0
  #idle: NodeJS.Timeout | undefined
  #pulse: NodeJS.Timeout | undefined
  #isAwaited = false
  #words: string | undefined
  hasEnded = false

  constructor({ name, entry, idleMs, pulseMs }: ProgramOf) {
    this.#name = name
    this.#idleMs = idleMs
    this.#pulseMs = pulseMs
    this.#child = spawn(process.execPath, [`--max-old-space-size=${mostHeapMb}`, entry()], {
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
  }

  open(message: Message, signal: AbortSignal): Exchange {
    const id = (this.#lastId += 1)
    const cancel = () => exchange.cancel(signal.reason)
    const exchange = new Exchange(
      (said, bytes) => this.#send({ ...said, id }, bytes),
      () => {
        signal.removeEventListener('abort', cancel)
        this.#exchanges.delete(id)
        if (this.#exchanges.size === 0) this.#rest()
      },
    )
    signal.addEventListener('abort', cancel, { once: true })
    if (this.#exchanges.size === 0) this.#work()
    this.#exchanges.set(id, exchange)
    exchange.send(message)
    return exchange
  }

  #send(message: Message, bytes?: Uint8Array) {
    if (this.#child.stdin.destroyed) return
    this.#child.stdin.write(lineOf(bytes ? { ...message, bytes: bytes.length } : message))
    if (bytes) this.#child.stdin.write(bytes)
  }

  #heard(message: Message, bytes: Uint8Array) {
    this.#isAwaited = false
    if (message.type === 'failed') this.#words = String(message['words'])
    else if (message.id !== undefined) this.#exchanges.get(message.id)?.answered({ message, bytes })
  }

  #ended(how: string) {
    this.hasEnded = true
    clearTimeout(this.#idle)
    clearInterval(this.#pulse)
    const failure = silent(this.#words ?? `${this.#name} stopped before the answer was complete (${how})`)
    for (const exchange of this.#exchanges.values()) exchange.fail(failure)
  }

  #work() {
    clearTimeout(this.#idle)
    this.#child.ref()
    for (const pipe of this.#pipes()) pipe.ref()
    this.#isAwaited = false
    this.#pulse = setInterval(() => this.#feelPulse(), this.#pulseMs)
  }

  #rest() {
    this.#child.unref()
    for (const pipe of this.#pipes()) pipe.unref()
    clearInterval(this.#pulse)
    if (this.hasEnded) return
    this.#idle = setTimeout(() => this.#giveUp('was not needed'), this.#idleMs).unref()
  }

  #feelPulse() {
    if (this.#isAwaited) this.#giveUp('did not answer any more')
    this.#isAwaited = true
    this.#send({ type: 'ping' })
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
    ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
  }
}
