import { refused, silent } from '@switchroom/kit/failures'
import type { Message } from './messages.ts'

export interface Answer {
  message: Message
  bytes: Uint8Array
}

/** One request to a program and what it answers, until it is done, fails or is cancelled. */
export class Exchange implements AsyncIterable<Answer> {
  readonly #send: (message: Message, bytes?: Uint8Array) => void
  readonly #letGo: () => void
  readonly #answers: Answer[] = []
  readonly #over = Promise.withResolvers<void>()
  #wake: (() => void) | undefined
  #failure: { reason: unknown } | undefined
  #isOver = false

  constructor(send: (message: Message, bytes?: Uint8Array) => void, letGo: () => void) {
    this.#send = send
    this.#letGo = letGo
  }

  /** Settles when the program has nothing more to do with it. */
  get over(): Promise<void> {
    return this.#over.promise
  }

  send(message: Message, bytes?: Uint8Array) {
    if (!this.#isOver) this.#send(message, bytes)
  }

  answered(answer: Answer) {
    const { type, words } = answer.message
    if (type === 'refused') this.fail(refused(String(words)))
    else if (type === 'failed') this.fail(silent(String(words)))
    else this.#answers.push(answer)
    if (answer.message.type === 'done') this.#end()
    this.#wake?.()
  }

  fail(reason: unknown) {
    this.#failure ??= { reason }
    this.#end()
    this.#wake?.()
  }

  /** Cancels the request in the program if it still runs. */
  cancel(reason: unknown) {
    this.send({ type: 'cancel' })
    this.#answers.length = 0
    this.fail(reason)
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Answer> {
    for (;;) {
      const next = this.#answers.shift()
      if (next) {
        yield next
        if (next.message.type === 'done') return
      } else if (this.#failure) throw this.#failure.reason
      else await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  #end() {
    if (this.#isOver) return
    this.#isOver = true
    this.#over.resolve()
    this.#letGo()
  }
}
