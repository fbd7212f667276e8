import { frameSamples } from './silero.ts'

const framesPerSecond = 16_000 / frameSamples
const inFrames = (seconds: number) => Math.round(seconds * framesPerSecond)

/** Silero's own: speech begins above the one and is over below the other. */
const speaks = 0.5
const isSilent = 0.35

const framesBefore = inFrames(0.26)
const framesAfter = inFrames(0.2)
const framesOfSilence = inFrames(0.5)
/** Shorter than any word: a click. */
const fewestSpoken = inFrames(0.13)
/** Moonshine gets worse with length. */
const mostFrames = inFrames(15)
/** A segment that must be cut is cut where these last frames sound least like speech. */
const framesToCutIn = inFrames(4)

/** A stretch of speech: its samples with a little around them, and when it began and ended, in seconds. */
export interface Segment {
  samples: Float32Array
  start: number
  end: number
  spokenFrames: number
}

interface Frame {
  samples: Float32Array
  probability: number
}

/** Cuts a stream of frames into stretches of speech. */
export class Segmenter {
  #frames: Frame[] = []
  /** How many frames came before the ones that are held. */
  #passed = 0
  /** Counted among the held frames. */
  #speechAt: number | undefined
  #silentFrames = 0

  /** The length of the current speech without the silence at its end; 0 without speech. */
  get spokenFrames(): number {
    return this.#speechAt === undefined ? 0 : this.#frames.length - this.#speechAt - this.#silentFrames
  }

  /** That the speech may be ending with. */
  get silentFrames(): number {
    return this.#silentFrames
  }

  /** The stretch that this frame ended, if it ended one. */
  push(samples: Float32Array, probability: number): Segment | undefined {
    this.#frames.push({ samples, probability })
    if (this.#speechAt === undefined) {
      if (probability >= speaks) this.#speechAt = this.#frames.length - 1
      else this.#drop(this.#frames.length - framesBefore)
      return undefined
    }
    if (probability >= speaks) this.#silentFrames = 0
    else if (probability < isSilent || this.#silentFrames > 0) this.#silentFrames += 1
    if (this.#silentFrames >= framesOfSilence) return this.end()
    return this.#frames.length >= mostFrames ? this.#cut() : undefined
  }

  /** The speech so far, still going on. */
  growing(): Segment | undefined {
    return this.#speechAt === undefined ? undefined : this.#segment(this.#speechAt, this.#frames.length)
  }

  /** Ends the speech that is going on, here. */
  end(): Segment | undefined {
    if (this.#speechAt === undefined) return undefined
    const until = this.#frames.length - this.#silentFrames
    const segment = this.#segment(this.#speechAt, until)
    this.#silentFrames = 0
    this.#speechAt = undefined
    this.#drop(Math.max(until, this.#frames.length - framesBefore)) // no word is heard in two segments
    return segment
  }

  #cut(): Segment | undefined {
    const from = this.#frames.length - framesToCutIn
    const last = this.#frames.slice(from)
    const least = Math.min(...last.map(({ probability }) => probability))
    const at = from + last.findLastIndex(({ probability }) => probability === least)
    const rest = this.#frames.splice(at)
    const segment = this.#segment(this.#speechAt ?? 0, at)
    this.#passed += at
    this.#frames = rest
    this.#speechAt = 0
    this.#silentFrames = Math.min(this.#silentFrames, this.#frames.length)
    return segment
  }

  /** Nothing if it was too short to be a word. */
  #segment(from: number, until: number): Segment | undefined {
    const spoken = this.#frames.slice(from, until).filter(({ probability }) => probability >= speaks)
    if (spoken.length < fewestSpoken) return undefined
    const frames = this.#frames.slice(Math.max(0, from - framesBefore), until + framesAfter)
    const samples = new Float32Array(frames.length * frameSamples)
    for (const [index, frame] of frames.entries()) samples.set(frame.samples, index * frameSamples)
    return {
      samples,
      start: (this.#passed + from) / framesPerSecond,
      end: (this.#passed + until) / framesPerSecond,
      spokenFrames: until - from,
    }
  }

  #drop(count: number) {
    if (count <= 0) return
    this.#frames.splice(0, count)
    this.#passed += count
  }
}
