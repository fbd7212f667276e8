import type { PcmFormat } from '../pcm-format.ts'
import { Framer } from './framer.ts'
import { type Segment, Segmenter } from './segmenter.ts'
import { frameSamples, type VoiceActivity } from './silero.ts'
import { type TimedWord, toMs, wordsAcross } from './word-times.ts'

/** New speech that is worth hearing the whole segment again for: 0.6 seconds. */
const framesToPartial = 19
const msPerFrame = frameSamples / 16
/** A pause in which what was said is heard to its end, before it is known that no more follows: 0.2 seconds. */
const framesToSettle = 6
/** A partial that took long is not heard again before this much more of speech. */
const restAfterPartial = 2

export interface Opened {
  kind: 'live' | 'recording'
  format: PcmFormat
}

/** Audio in order, and between it the wishes to have committed what was said so far. */
export type Incoming = Uint8Array | 'finalize' | 'end'

export type Said =
  | { type: 'taken'; count: number }
  | { type: 'partial'; text: string }
  | { type: 'final'; text: string; start: number; end: number; words: TimedWord[] }
  | { type: 'done'; duration: number }

type Hear = (samples: Float32Array, isWanted: () => boolean) => Promise<string>

/** One live stream or one recording, as far as it has come. It is asked to do one thing at a time. */
export class Stream {
  readonly kind: Opened['kind']
  readonly #say: (said: Said) => void
  readonly #activity: VoiceActivity
  readonly #framer: Framer
  readonly #segmenter = new Segmenter()
  readonly #incoming: Incoming[] = []
  /** What of the incoming is being listened to. */
  #current: Incoming | undefined
  /** Whole, and not heard yet: until it is, nothing further is listened to. */
  #segment: Segment | undefined
  #partial = ''
  #framesAtPartial = 0
  #partialMs = 0
  #hasEnded = false
  #isWanted = true

  constructor({ kind, format }: Opened, activity: VoiceActivity, say: (said: Said) => void) {
    this.kind = kind
    this.#framer = new Framer(format)
    this.#activity = activity
    this.#say = say
  }

  take(incoming: Incoming) {
    this.#incoming.push(incoming)
  }

  cancel() {
    this.#isWanted = false
  }

  get isOver(): boolean {
    return !this.#isWanted || (this.#hasEnded && !this.#segment)
  }

  get hasAudio(): boolean {
    return !this.#segment && (this.#current !== undefined || this.#incoming.length > 0)
  }

  get hasFinal(): boolean {
    return this.#segment !== undefined
  }

  /** Not while audio waits: what it would say is old already. */
  get hasPartial(): boolean {
    if (this.kind !== 'live' || this.#segment || this.hasAudio) return false
    const newFrames = this.#segmenter.spokenFrames - this.#framesAtPartial
    if (newFrames > 0 && this.#segmenter.silentFrames >= framesToSettle) return true
    return newFrames >= Math.max(framesToPartial, (restAfterPartial * this.#partialMs) / msPerFrame)
  }

  /** Listens for speech, at most so many frames, and no further than to the end of a segment. */
  async listen(mostFrames: number) {
    for (let count = 0; count < mostFrames && this.hasAudio && this.#isWanted; count += 1) {
      const frame = this.#framer.next()
      if (frame) this.#segment = this.#segmenter.push(frame, await this.#activity.probability(frame))
      else if (this.#current === undefined) this.#begin()
      else this.#finish(this.#current)
      if (!this.#segment && this.#segmenter.spokenFrames === 0) this.#framesAtPartial = 0
    }
  }

  async hearFinal(hear: Hear) {
    const segment = this.#segment
    if (!segment) return
    const isHeard = this.#partial !== '' && this.#framesAtPartial === segment.spokenFrames
    const heard = isHeard ? '' : await hear(segment.samples, () => this.#isWanted)
    const text = heard || this.#partial // what was shown is not taken back
    const start = toMs(segment.start)
    const end = toMs(Math.min(segment.end, this.#framer.seconds))
    this.#segment = undefined
    this.#partial = ''
    this.#framesAtPartial = 0
    this.#partialMs = 0
    if (text !== '') this.#say({ type: 'final', text, start, end, words: wordsAcross(text, start, end) })
    if (this.#hasEnded) this.#done()
  }

  async hearPartial(hear: Hear) {
    const growing = this.#segmenter.growing()
    this.#framesAtPartial = this.#segmenter.spokenFrames
    if (!growing) return
    const startedAt = performance.now()
    const text = await hear(growing.samples, () => this.#isWanted)
    this.#partialMs = performance.now() - startedAt
    if (text === '' || text === this.#partial) return
    this.#partial = text
    this.#say({ type: 'partial', text })
  }

  #begin() {
    this.#current = this.#incoming.shift()
    if (this.#current === 'end') this.#framer.end()
    else if (this.#current instanceof Uint8Array) this.#framer.push(this.#current)
  }

  #finish(current: Incoming) {
    this.#current = undefined
    if (current instanceof Uint8Array) {
      this.#say({ type: 'taken', count: current.length })
      return
    }
    this.#segment = this.#segmenter.end()
    this.#hasEnded = current === 'end'
    if (this.isOver) this.#done()
  }

  #done() {
    this.#say({ type: 'done', duration: toMs(this.#framer.seconds) })
  }
}
