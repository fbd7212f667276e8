import type { Message } from '@switchroom/kit/vendor'
import { contentsOf, outcomeOf, userText, type Content, type FunctionResponse } from './realtime-messages.ts'

/** What the model is to know and was not sent yet, and the calls that it waits for. */
export class Untold {
  readonly #calls = new Set<string>()
  #outcomes: FunctionResponse[] = []
  #contents: Content[] = []
  #endsWithUser = false

  /** Whether it waits for a call. */
  get isWaiting(): boolean {
    return this.#calls.size + this.#outcomes.length > 0
  }

  /** Whether the last that it learned are words of the party, which a reply can answer. */
  get endsWithUser(): boolean {
    return this.#endsWithUser
  }

  get hasContents(): boolean {
    return this.#contents.length > 0
  }

  learn(message: Message) {
    this.#endsWithUser = message.role === 'user'
    if (message.role === 'tool' && this.#calls.delete(message.call)) {
      const { call: id, name, text } = message
      this.#outcomes.push({ id, name, response: { output: text } })
    } else this.#contents.push(...contentsOf(message))
  }

  /** Something that none of the two said. */
  note(text: string) {
    this.#contents.push(userText(text))
  }

  called(id: string) {
    this.#calls.add(id)
  }

  /** What comes of it all the same is a note. */
  cancelled(id: string) {
    this.#calls.delete(id)
    const late = this.#outcomes.filter((outcome) => outcome.id === id)
    this.#outcomes = this.#outcomes.filter((outcome) => outcome.id !== id)
    this.#contents.push(...late.map(({ name, response }) => outcomeOf(name, response.output)))
  }

  takeContents(): Content[] {
    return this.#contents.splice(0)
  }

  takeOutcomes(): FunctionResponse[] {
    return this.#outcomes.splice(0)
  }

  /** A reply answers what was said until now. */
  answered() {
    this.#endsWithUser = false
  }
}
