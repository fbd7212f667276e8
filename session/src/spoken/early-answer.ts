import { abandon, untilAborted } from '@switchroom/kit/until-aborted'
import type { Conversation, Thought } from '@switchroom/kit/vendor'
import type { ModelRun } from '../parts.ts'

/** An answer generated ahead: a request with the very same question gets it. */
export class EarlyAnswer {
  readonly #run: ModelRun
  readonly #question: string
  readonly #stop = new AbortController()
  readonly #thoughts: Thought[] = []
  #over: { failure: unknown } | null = null
  #isTaken = false
  #wake: (() => void) | null = null

  constructor(run: ModelRun, question: Conversation) {
    this.#run = run
    this.#question = JSON.stringify(question)
    void this.#think(question)
  }

  drop() {
    this.#stop.abort()
  }

  /** The same model, which does not think twice about this question. */
  of(run: ModelRun): ModelRun {
    if (run !== this.#run) return run
    const { vendor, model, key } = run
    const think: ModelRun['think'] = (question, signal) => {
      if (!this.#answers(question)) return run.think(question, signal)
      this.#isTaken = true
      return this.#taken(signal)
    }
    return { vendor, model, key, think }
  }

  #answers(question: Conversation): boolean {
    const hasFailed = this.#over !== null && this.#over.failure !== null
    return !this.#isTaken && !hasFailed && JSON.stringify(question) === this.#question
  }

  async #think(question: Conversation) {
    const { signal } = this.#stop
    let failure: unknown = null
    let iterator: AsyncIterator<Thought> | undefined
    try {
      iterator = this.#run.think(question, signal)[Symbol.asyncIterator]()
      for (;;) {
        const { done, value } = await untilAborted(iterator.next(), signal)
        if (done) break
        this.#thoughts.push(value)
        this.#wake?.()
      }
    } catch (error) {
      failure = error
    } finally {
      abandon(iterator)
    }
    this.#over = { failure }
    this.#wake?.()
  }

  async *#taken(signal: AbortSignal): AsyncIterable<Thought> {
    try {
      for (;;) {
        const thought = this.#thoughts.shift()
        if (thought) yield thought
        else if (this.#over?.failure) throw this.#over.failure
        else if (this.#over) return
        else await untilAborted(new Promise<void>((resolve) => (this.#wake = resolve)), signal)
      }
    } finally {
      this.drop()
    }
  }
}
