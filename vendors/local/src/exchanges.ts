import { Exchange, type Answer } from './exchange.ts'
import type { Message } from './messages.ts'

export interface ExchangesParts {
  write: (message: Message, bytes?: Uint8Array) => void
  /** The first begins. */
  onBusy?: () => void
  /** The last is over. */
  onIdle?: () => void
}

/** The requests that are under way over one pipe, each with a number. */
export class Exchanges {
  readonly #parts: ExchangesParts
  readonly #open = new Map<number, Exchange>()
  #lastId = 0

  constructor(parts: ExchangesParts) {
    this.#parts = parts
  }

  get size(): number {
    return this.#open.size
  }

  /** Cancelled when `signal` aborts. */
  begin(message: Message, signal: AbortSignal): Exchange {
    const { write, onBusy, onIdle } = this.#parts
    const id = (this.#lastId += 1)
    const cancel = () => exchange.cancel(signal.reason)
    const exchange = new Exchange(
      (said, bytes) => write({ ...said, id }, bytes),
      () => {
        signal.removeEventListener('abort', cancel)
        this.#open.delete(id)
        if (this.#open.size === 0) onIdle?.()
      },
    )
    signal.addEventListener('abort', cancel, { once: true })
    if (this.#open.size === 0) onBusy?.()
    this.#open.set(id, exchange)
    exchange.send(message)
    return exchange
  }

  answered(answer: Answer) {
    if (answer.message.id !== undefined) this.#open.get(answer.message.id)?.answered(answer)
  }

  failAll(reason: unknown) {
    for (const exchange of this.#open.values()) exchange.fail(reason)
  }
}
