import { ComfortNoise } from './comfort-noise.ts'
import { Concealment } from './concealment.ts'
import { JitterBuffer, type Packet } from './jitter-buffer.ts'
import { frameMs } from './pacer.ts'

/** A coding that fills gaps itself does so for so many frames; then there is silence. */
const mostFilled = 5
/** Of the sound that waits, the least in so many frames is more than is needed. */
const lookBackFrames = 100
/** Below this a frame is as good as silent, and is not missed when it is left out. */
const quietLevel = 100

export interface Coding {
  /** Of the packets' timestamps. */
  clockRate: number
  /** Of the samples. */
  sampleRate: number
  /** Undefined for what cannot be decoded. */
  decode: (payload: Uint8Array) => Int16Array | undefined
  /** Fills a gap better than the sound before it can; the packet behind the gap may repeat what is lost. */
  conceal?: (samples: number, next?: Uint8Array) => Int16Array
  /** Whether the sender is silent from this packet on until it sends another. */
  isPause?: (payload: Uint8Array) => boolean
}

/** Makes a steady stream of frames of what packets bring: in order, what is lost made up, no later than needed. */
export class ReceivedAudio {
  readonly #coding: Coding
  readonly #buffer: JitterBuffer
  readonly #frame: number
  readonly #ticksPerSample: number
  readonly #concealment: Concealment
  readonly #noise = new ComfortNoise()
  #ready: Int16Array = new Int16Array(0)
  #last: Int16Array
  /** The sender said that it is silent; `noise` if it said how. */
  #pause: 'no' | 'yes' | 'noise' = 'no'
  /** Samples in a row that the coding itself made up. */
  #filled = Infinity
  /** Samples that were made up while nothing waited. */
  #filledDry = 0
  /** Whether what waits is let grow before the next frame is taken. */
  #isGathering = true
  #gatheredFor = 0
  /** Frames given beyond the time that went by. */
  #surplus = 0
  #leastDepth = Infinity
  #frames = 0

  constructor(coding: Coding) {
    const { clockRate, sampleRate } = coding
    this.#coding = coding
    this.#buffer = new JitterBuffer(clockRate)
    this.#frame = (sampleRate * frameMs) / 1000
    this.#ticksPerSample = clockRate / sampleRate
    this.#concealment = new Concealment(sampleRate)
    this.#last = new Int16Array(this.#frame)
  }

  put(timestamp: number, payload: Uint8Array): void {
    this.#buffer.put(timestamp, payload)
  }

  /** Comfort noise (RFC 3389): the sender is silent from here on. */
  putComfort(timestamp: number, payload: Uint8Array): void {
    this.#buffer.put(timestamp, payload, true)
  }

  /** Another source, or another coding. */
  restart(): void {
    this.#buffer.reset()
    this.#ready = new Int16Array(0)
    this.#isGathering = true
    this.#filledDry = 0
    this.#pause = 'no'
  }

  /** So many frames were due and not asked for. */
  missed(frames: number): void {
    this.#surplus -= frames
  }

  /** The frames that are due now: one, or more if sound has piled up. */
  take(): Int16Array[] {
    const frames = [this.#next()]
    this.#look()
    if (this.#surplus < 0 && this.#piledUp() > this.#frame) {
      this.#surplus += 1
      frames.push(this.#next())
    }
    return frames
  }

  #next(): Int16Array {
    if (this.#isGathering && !this.#isGathered()) {
      if (this.#buffer.waiting === 0) this.#countDry(this.#frame)
      return this.#fill(this.#frame)
    }
    this.#isGathering = false
    while (this.#ready.length < this.#frame) {
      const taken = this.#buffer.take()
      if (!taken) return this.#runDry()
      if ('missing' in taken) this.#fillIn(taken.missing, taken.next)
      else this.#read(taken)
    }
    const frame = this.#ready.slice(0, this.#frame)
    this.#ready = this.#ready.subarray(this.#frame)
    this.#last = frame
    return frame
  }

  /** Two packets, or one that no other one followed. */
  #isGathered(): boolean {
    if (this.#buffer.waiting === 0) this.#gatheredFor = 0
    else this.#gatheredFor += 1
    return this.#buffer.waiting > 1 || this.#gatheredFor > 2
  }

  #read({ payload, isComfort }: Packet): void {
    this.#filledDry = 0
    if (isComfort) {
      this.#noise.describe(payload)
      this.#pause = 'noise'
      return this.#buffer.pause()
    }
    const samples = this.#coding.decode(payload)
    if (!samples) return // it is missing before the next one
    this.#buffer.advance(Math.floor(samples.length * this.#ticksPerSample))
    if (!this.#coding.conceal) this.#concealment.heard(samples)
    this.#filled = 0
    this.#pause = this.#coding.isPause?.(payload) ? 'yes' : 'no'
    if (this.#pause === 'yes') this.#buffer.pause()
    this.#append(samples)
  }

  /** Nothing came in time: what comes late is then played late, and so is everything behind it. */
  #runDry(): Int16Array {
    this.#isGathering = true
    this.#gatheredFor = 0
    const missing = this.#frame - this.#ready.length
    this.#append(this.#fill(missing))
    this.#countDry(missing)
    const frame = this.#ready
    this.#ready = new Int16Array(0)
    return frame
  }

  #countDry(samples: number): void {
    if (this.#pause === 'no') this.#filledDry += samples
  }

  /** What was made up while nothing waited is not made up again, so that a loss delays nothing. */
  #fillIn(missingTicks: number, next: Packet): void {
    this.#buffer.advance(missingTicks)
    const missing = Math.round(missingTicks / this.#ticksPerSample)
    const filled = Math.min(missing, this.#filledDry)
    this.#filledDry -= filled
    if (missing > filled)
      this.#append(this.#fill(missing - filled, next.isComfort ? undefined : next.payload))
  }

  #fill(samples: number, next?: Uint8Array): Int16Array {
    if (this.#pause === 'noise') return this.#noise.make(samples)
    if (!this.#coding.conceal) return this.#concealment.fill(samples)
    // while the sender is silent, the coding makes the noise of its line
    if (this.#pause === 'no' && this.#filled >= mostFilled * this.#frame) return new Int16Array(samples)
    this.#filled += samples
    return this.#coding.conceal(samples, next)
  }

  #append(samples: Int16Array): void {
    if (this.#ready.length === 0) {
      this.#ready = samples
      return
    }
    const joined = new Int16Array(this.#ready.length + samples.length)
    joined.set(this.#ready)
    joined.set(samples, this.#ready.length)
    this.#ready = joined
  }

  #piledUp(): number {
    return this.#ready.length + this.#buffer.depth / this.#ticksPerSample
  }

  /** Sound that always waits longer than it must is brought forward: the time it waits is time that both lose. */
  #look(): void {
    this.#leastDepth = Math.min(this.#leastDepth, this.#piledUp())
    this.#frames += 1
    if (this.#frames < lookBackFrames) return
    const isQuiet = this.#last.every((sample) => Math.abs(sample) < quietLevel)
    if (this.#leastDepth >= 2 * this.#frame && isQuiet) this.#next() // left out
    if (this.#leastDepth < 2 * this.#frame || isQuiet || this.#frames > 5 * lookBackFrames) {
      this.#leastDepth = Infinity
      this.#frames = 0
    }
  }
}
