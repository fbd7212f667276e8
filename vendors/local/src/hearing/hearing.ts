import type { InferenceSession } from 'onnxruntime-node'
import type { Moonshine } from './moonshine.ts'
import { VoiceActivity } from './silero.ts'
import { type Incoming, type Opened, type Said, Stream } from './stream.ts'

/** Two seconds: what one stream is listened to before the next has its turn. */
const framesInTurn = 64

export interface HearingParts {
  moonshine: Moonshine
  silero: InferenceSession
  /** Streams at once: more are refused. */
  mostLive: number
}

export type Answer = Said | { type: 'ready' } | { type: 'refused'; words: string }

/**
 * Hears several streams side by side with one model. Finished segments of live streams come first; partials
 * and segments of recordings take turns, so that neither a long recording nor many callers hold up the rest.
 */
export class Hearing {
  readonly #moonshine: Moonshine
  readonly #silero: InferenceSession
  readonly #mostLive: number
  readonly #say: (id: number, answer: Answer) => void
  /** In the order of their next turn. */
  readonly #streams = new Map<number, Stream>()
  #isWorking = false

  constructor({ moonshine, silero, mostLive }: HearingParts, say: (id: number, answer: Answer) => void) {
    this.#moonshine = moonshine
    this.#silero = silero
    this.#mostLive = mostLive
    this.#say = say
  }

  open(id: number, opened: Opened) {
    const live = [...this.#streams.values()].filter(({ kind }) => kind === 'live').length
    if (opened.kind === 'live' && live >= this.#mostLive) {
      const words = `local speech-to-text already transcribes ${live} streams, the limit of this machine: try again later`
      this.#say(id, { type: 'refused', words })
      return
    }
    const stream = new Stream(opened, new VoiceActivity(this.#silero), (said) => this.#say(id, said))
    this.#streams.set(id, stream)
    this.#say(id, { type: 'ready' })
  }

  /** Returns at once; what comes of it is said later. */
  take(id: number, incoming: Incoming) {
    this.#streams.get(id)?.take(incoming)
    if (this.#isWorking) return
    this.#isWorking = true
    void this.#work()
  }

  cancel(id: number) {
    this.#streams.get(id)?.cancel()
    this.#streams.delete(id)
  }

  async #work() {
    for (;;) {
      const listening = [...this.#streams.values()].filter(({ hasAudio }) => hasAudio)
      for (const stream of listening) await stream.listen(framesInTurn)
      const hasHeard = await this.#hearOne()
      for (const [id, { isOver }] of this.#streams) if (isOver) this.#streams.delete(id)
      if (!hasHeard && listening.length === 0) break
    }
    this.#isWorking = false
  }

  /** One segment of one stream, which then goes to the end of the line. */
  async #hearOne(): Promise<boolean> {
    const waiting = [...this.#streams]
    const turn =
      waiting.find(([, stream]) => stream.kind === 'live' && stream.hasFinal) ??
      waiting.find(([, stream]) => stream.hasFinal || stream.hasPartial)
    if (!turn) return false
    const [id, stream] = turn
    this.#streams.delete(id)
    this.#streams.set(id, stream)
    const hear = this.#moonshine.hear.bind(this.#moonshine)
    await (stream.hasFinal ? stream.hearFinal(hear) : stream.hearPartial(hear))
    return true
  }
}
