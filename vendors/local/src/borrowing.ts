import type { Duplex } from 'node:stream'
import { silent } from '@switchroom/kit/failures'
import type { Exchange } from './exchange.ts'
import { Exchanges } from './exchanges.ts'
import { frameOf, lineOf, MessageReader } from './messages.ts'
import type { Answering } from './program-pool.ts'

/** Programs that another process runs, at the other end of a channel. */
export class BorrowedPrograms {
  readonly #channel: Duplex
  readonly #exchanges: Exchanges

  constructor(channel: Duplex) {
    this.#channel = channel
    this.#exchanges = new Exchanges({
      write: (message, bytes) => {
        if (channel.writable) channel.write(bytes ? frameOf(message, bytes) : lineOf(message))
      },
    })
    const reader = new MessageReader()
    channel.on('data', (chunk: Buffer) => {
      try {
        for (const answer of reader.read(chunk)) this.#exchanges.answered(answer)
      } catch {
        channel.destroy()
      }
    })
    channel.on('error', () => {}) // 'close' follows
    channel.on('end', () => channel.destroy())
    channel.on('close', () => this.#exchanges.failAll(gone()))
  }

  /** By the name under which the other process lends it. */
  named(program: string): Answering {
    return {
      ask: (message, signal): Exchange => {
        signal.throwIfAborted()
        if (this.#channel.destroyed) throw gone()
        return this.#exchanges.begin({ ...message, program }, signal)
      },
    }
  }
}

const gone = () => silent('the process that runs the programs of local is gone')
