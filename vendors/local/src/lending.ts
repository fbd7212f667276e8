import type { Duplex } from 'node:stream'
import { VendorFailure } from '@switchroom/kit/failures'
import type { Exchange } from './exchange.ts'
import { frameOf, lineOf, MessageReader, type Message } from './messages.ts'
import type { Answering } from './program-pool.ts'

/** Answers what another process asks over a channel, which only it has the other end of, until either is gone. */
export function lend(channel: Duplex, programs: Readonly<Record<string, Answering>>): void {
  const borrower = new Borrower(channel, programs)
  const reader = new MessageReader()
  channel.on('data', (chunk: Buffer) => {
    try {
      for (const { message, bytes } of reader.read(chunk)) borrower.take(message, bytes)
    } catch {
      channel.destroy()
    }
  })
  channel.on('error', () => {}) // 'close' follows
  channel.on('end', () => channel.destroy())
  channel.on('close', () => borrower.gone())
}

/** A process that uses the programs of this one. */
class Borrower {
  readonly #channel: Duplex
  readonly #programs: Readonly<Record<string, Answering>>
  readonly #leaving = new AbortController()
  readonly #exchanges = new Map<number, Exchange>()

  constructor(channel: Duplex, programs: Readonly<Record<string, Answering>>) {
    this.#channel = channel
    this.#programs = programs
  }

  /** What it asked for is cancelled, and its place is free for others. */
  gone() {
    this.#leaving.abort()
  }

  take({ id = 0, program, ...message }: Message, bytes: Uint8Array) {
    const asked = typeof program === 'string' ? this.#programs[program] : undefined
    if (asked) void this.#answer(id, asked, message)
    else if (message.type === 'cancel') this.#exchanges.get(id)?.cancel(undefined)
    else this.#exchanges.get(id)?.send(message, message.bytes === undefined ? undefined : bytes)
  }

  async #answer(id: number, program: Answering, asked: Message) {
    try {
      const exchange = program.ask(asked, this.#leaving.signal)
      this.#exchanges.set(id, exchange)
      for await (const { message, bytes } of exchange) this.#say({ ...message, id }, bytes)
    } catch (error) {
      if (error instanceof Error) this.#say({ id, type: typeOf(error), words: error.message })
      // else it was cancelled, and nobody waits
    } finally {
      this.#exchanges.delete(id)
    }
  }

  #say(message: Message, bytes?: Uint8Array) {
    if (this.#channel.writable) this.#channel.write(bytes?.length ? frameOf(message, bytes) : lineOf(message))
  }
}

const typeOf = (error: Error) =>
  error instanceof VendorFailure && error.kind === 'refused' ? 'refused' : 'failed'
