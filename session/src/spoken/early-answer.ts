import { abandon, untilAborted } from '@switchroom/kit/until-aborted'
import type { Conversation, Thought } from '@switchroom/kit/vendor'
import { inSpan } from '@switchroom/telemetry/tracing'
import type { ModelRun } from '../parts.ts'
import { modelSpan } from '../vendor-spans.ts'

/** Of English, about: for what a vendor that was stopped does not count itself. */
const charactersPerToken = 4

/** What a vendor was asked for and nobody used. */
export interface Unused {
  inputTokens: number
  outputTokens: number
  /** The vendor was stopped before it said how much it was. */
  isEstimated: boolean
}

/** An answer generated ahead: a request with the same question gets it. */
export class EarlyAnswer {
  readonly #run: ModelRun
  readonly #question: Conversation
  readonly #stop = new AbortController()
  readonly #thoughts: Thought[] = []
  #over: { failure: unknown } | null = null
  #usage: Omit<Unused, 'isEstimated'> | null = null
  #characters = 0
  #isTaken = false
  #isDropped = false
  #wake: (() => void) | null = null

  constructor(run: ModelRun, question: Conversation) {
    this.#run = run
    this.#question = question
    void this.#traced(question)
  }

  get run(): ModelRun {
    return this.#run
  }

  get isTaken(): boolean {
    return this.#isTaken
  }

  /** What it took for nothing; null if it was taken, failed, or was dropped before. */
  drop(): Unused | null {
    this.#stop.abort()
    if (this.#isTaken || this.#isDropped || this.#hasFailed) return null
    this.#isDropped = true
    if (this.#usage) return { ...this.#usage, isEstimated: false }
    const asked = JSON.stringify(this.#question).length
    return {
      inputTokens: Math.ceil(asked / charactersPerToken),
      outputTokens: Math.ceil(this.#characters / charactersPerToken),
      isEstimated: true,
    }
  }

  /** The same model, which does not think twice about this question. */
  of(run: ModelRun): ModelRun {
    if (run !== this.#run) return run
    const { vendor, model, key } = run
    const think: ModelRun['think'] = (question, signal) => {
      if (!this.answers(question)) return run.think(question, signal)
      this.#isTaken = true
      return this.#taken(signal)
    }
    return { vendor, model, key, think }
  }

  get #hasFailed(): boolean {
    return this.#over !== null && this.#over.failure !== null && !this.#isDropped
  }

  /** Whether a request with this question would get it. */
  answers(question: Conversation): boolean {
    if (this.#isTaken || this.#isDropped || this.#hasFailed) return false
    return comparable(question) === comparable(this.#question)
  }

  /** The turn that it may answer has not begun, so its span is the call's; the turn's own is how long that waits. */
  async #traced(question: Conversation) {
    const { name, attributes, ...options } = modelSpan(this.#run)
    await inSpan(name, { ...options, attributes: { ...attributes, 'switchroom.ahead': true } }, () =>
      this.#think(question),
    )
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
        if (value.type === 'text') this.#characters += value.text.length
        if (value.type === 'usage') this.#usage = value
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

/** Transcribers change capitals, commas and full stops of the same words at the end; a question mark is more than that. */
function comparable({ messages, tools }: Conversation): string {
  const last = messages.findLastIndex(({ role }) => role === 'user')
  const words = (text: string) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}?'\s]+/gu, ' ')
      .split(/\s+/u)
      .filter((word) => word !== '')
      .join(' ')
  return JSON.stringify({
    messages: messages.map((message, at) =>
      at === last ? { ...message, text: words(message.text) } : message,
    ),
    tools,
  })
}
