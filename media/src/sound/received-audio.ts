import { JitterBuffer } from './jitter-buffer.ts'
import { frameMs } from './pacer.ts'

/** How loud what replaces a lost frame begins, and each one after it; then it is silent. */
const fading = [1, 0.6, 0.25, 0]
/** Of the sound that waits, the least in so many frames is more than is needed. */
const lookBackFrames = 100
/** Below this a frame is as good as silent, and is not missed when it is left out. */
const quietLevel = 100

export interface Coding {
  /** Of the packets' timestamps. */
  clockRate: number
  /** Of the samples. */
  sampleRate: number
  decode: (payload: Uint8Array) => Int16Array
}

/** Makes a steady stream of frames of what packets bring: in order, what is lost faded over, no later than needed. */
export class ReceivedAudio {
  readonly #buffer: JitterBuffer
  readonly #frame: number
  readonly #ticksPerSample: number
  readonly #decode: Coding['decode']
  #ready: Int16Array = new Int16Array(0)
  #last: Int16Array
  #concealed = fading.length
  /** Whether what waits is let grow before the next frame is taken. */
  #isGathering = true
  #gatheredFor = 0
  /** Frames given beyond the time that went by. */
  #surplus = 0
  #leastDepth = Infinity
  #frames = 0

  constructor({ clockRate, sampleRate, decode }: Coding) {
    this.#buffer = new JitterBuffer(clockRate)
    this.#frame = (sampleRate * frameMs) / 1000
    this.#ticksPerSample = clockRate / sampleRate
    this.#decode = decode
    this.#last = new Int16Array(this.#frame)
  }

  put(timestamp: number, payload: Uint8Array): void {
    this.#buffer.put(timestamp, payload)
  }

  /** Another source, or another coding. */
  restart(): void {
    this.#buffer.reset()
    this.#ready = new Int16Array(0)
    this.#isGathering = true
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
    if (this.#isGathering && !this.#isGathered()) return this.#conceal()
    this.#isGathering = false
    while (this.#ready.length < this.#frame) {
      const taken = this.#buffer.take()
      if (!taken) return this.#runDry()
      if ('missing' in taken) this.#fillIn(taken.missing)
      else this.#append(this.#decoded(taken.payload))
    }
    const frame = this.#ready.slice(0, this.#frame)
    this.#ready = this.#ready.subarray(this.#frame)
    this.#last = frame
    if (this.#concealed > 0) this.#concealed = 0
    return frame
  }

  /** Two packets, or one that no other one followed. */
  #isGathered(): boolean {
    if (this.#buffer.waiting === 0) this.#gatheredFor = 0
    else this.#gatheredFor += 1
    return this.#buffer.waiting > 1 || this.#gatheredFor > 2
  }

  #decoded(payload: Uint8Array): Int16Array {
    const samples = this.#decode(payload)
    this.#buffer.advance(samples.length * this.#ticksPerSample)
    return samples
  }

  /** Nothing came in time: what comes late is then played late, and so is everything behind it. */
  #runDry(): Int16Array {
    this.#isGathering = true
    this.#gatheredFor = 0
    const rest = this.#ready
    this.#ready = new Int16Array(0)
    const frame = this.#conceal()
    frame.set(rest)
    return frame
  }

  #fillIn(missingTicks: number): void {
    this.#buffer.advance(missingTicks)
    const missing = Math.round(missingTicks / this.#ticksPerSample)
    for (let filled = 0; filled < missing; filled += this.#frame)
      this.#append(this.#conceal().subarray(0, missing - filled))
  }

  #conceal(): Int16Array {
    const from = fading[this.#concealed] ?? 0
    const to = fading[this.#concealed + 1] ?? 0
    this.#concealed = Math.min(this.#concealed + 1, fading.length)
    const frame = new Int16Array(this.#frame)
    if (from === 0) return frame
    for (let at = 0; at < frame.length; at += 1)
      frame[at] = (this.#last[at] ?? 0) * (from + ((to - from) * at) / frame.length)
    return frame
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
