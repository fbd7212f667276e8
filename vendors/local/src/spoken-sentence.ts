import { Exchange, type Answer } from './exchange.ts'
import type { Message } from './messages.ts'
import type { Answering } from './program-pool.ts'

/** About twelve seconds: what lasts longer is not kept. */
const mostBytes = 512 * 1024
/** Of memory, besides its sound. */
const ownBytes = 1024

/** A sentence that is spoken once, for everyone who listens to it; given up as soon as nobody does. */
export class SpokenSentence {
  readonly #spoken: Exchange
  readonly #givingUp = new AbortController()
  readonly #beganMs = performance.now()
  readonly #listeners = new Set<Exchange>()
  /** What a further listener hears first. */
  readonly #said: Answer[] = []
  #takenBytes = 0
  #isDone = false
  /** It failed, was given up, or is too long. */
  #isLost = false
  bytes = ownBytes

  constructor(voices: Answering, message: Message) {
    this.#spoken = voices.ask(message, this.#givingUp.signal)
    void this.#follow()
  }

  /** Whether there may be further listeners. */
  isYoungerThan(ageMs: number): boolean {
    return !this.#isLost && performance.now() - this.#beganMs < ageMs
  }

  listen(signal: AbortSignal): Exchange {
    let taken = 0
    const leave = () => listener.cancel(signal.reason)
    const listener: Exchange = new Exchange(
      ({ type, count }) => {
        if (type === 'taken') this.#taken((taken += Number(count)))
      },
      () => {
        signal.removeEventListener('abort', leave)
        this.#listeners.delete(listener)
        if (!this.#isDone && this.#listeners.size === 0) this.#giveUp()
      },
    )
    signal.addEventListener('abort', leave, { once: true })
    this.#listeners.add(listener)
    for (const answer of this.#said) listener.answered(answer)
    return listener
  }

  async #follow() {
    try {
      for await (const { message, bytes } of this.#spoken) {
        const answer = { message, bytes: Uint8Array.from(bytes) } // not the chunk of the pipe that it is a part of
        this.#isDone = message.type === 'done'
        this.#keep(answer)
        for (const listener of this.#listeners) listener.answered(answer)
      }
    } catch (error) {
      this.#isLost = true
      for (const listener of this.#listeners) listener.fail(error)
    }
  }

  #keep(answer: Answer) {
    this.bytes += answer.bytes.length
    if (this.bytes > mostBytes) this.#isLost = true
    if (this.#isLost) this.#said.length = 0
    else this.#said.push(answer)
  }

  /** The quickest listener sets the pace: one that stands still holds up nobody. */
  #taken(bytes: number) {
    if (bytes <= this.#takenBytes) return
    this.#spoken.send({ type: 'taken', count: bytes - this.#takenBytes })
    this.#takenBytes = bytes
  }

  #giveUp() {
    this.#isLost = true
    this.#givingUp.abort()
  }
}
