/** Every tone of a telephone that is listened for here is below 4 kHz. */
const rate = 8_000
const blockSamples = 160
const blockMs = (blockSamples / rate) * 1_000
/** Quieter than this is no tone (about -46 dB of full scale). */
const quietest = 160
/** Of a block's energy, what a single sine does not explain. */
const mostResidual = 0.03
/** A voice that sings one note wavers more than this from block to block. */
const mostDrift = 0.03

export interface Tone {
  hz: number
  ms: number
}

/** Finds single sines that last, such as the beep of a voicemail or the call of a fax machine. */
export class SteadyTone {
  readonly #step: number
  readonly #block = new Float64Array(blockSamples)
  #filled = 0
  #sum = 0
  #summed = 0
  #now: Tone | null = null
  #last: Tone | null = null

  constructor(sampleRate: number) {
    this.#step = Math.max(1, Math.round(sampleRate / rate))
  }

  /** The tone that sounds now; null for silence, speech and noise. */
  get now(): Tone | null {
    return this.#now
  }

  /** The last tone that ended. */
  get last(): Tone | null {
    return this.#last
  }

  add(samples: Int16Array) {
    for (const sample of samples) {
      this.#sum += sample
      this.#summed += 1
      if (this.#summed < this.#step) continue
      this.#block[this.#filled] = this.#sum / this.#step
      this.#filled += 1
      this.#sum = this.#summed = 0
      if (this.#filled === blockSamples) this.#endBlock()
    }
  }

  #endBlock() {
    this.#filled = 0
    const hz = frequencyOf(this.#block)
    const now = this.#now
    if (hz !== null && now && Math.abs(hz - now.hz) < now.hz * mostDrift) {
      const ms = now.ms + blockMs
      this.#now = { hz: now.hz + ((hz - now.hz) * blockMs) / ms, ms }
      return
    }
    if (now && now.ms > blockMs) this.#last = now
    this.#now = hz === null ? null : { hz, ms: blockMs }
  }
}

/** The frequency of the one sine that a block is; null if it is more than that, or too quiet. */
function frequencyOf(block: Float64Array): number | null {
  // of a sine, x[n] + x[n-2] is always the same multiple of x[n-1]: 2 cos(w)
  let across = 0
  let energy = 0
  for (let n = 2; n < block.length; n += 1) {
    const middle = block[n - 1] ?? 0
    across += middle * ((block[n] ?? 0) + (block[n - 2] ?? 0))
    energy += middle * middle
  }
  if (Math.sqrt(energy / (block.length - 2)) < quietest) return null
  const multiple = across / energy
  if (Math.abs(multiple) >= 2) return null
  let residual = 0
  for (let n = 2; n < block.length; n += 1)
    residual += ((block[n] ?? 0) + (block[n - 2] ?? 0) - multiple * (block[n - 1] ?? 0)) ** 2
  if (residual / energy > mostResidual) return null
  return (Math.acos(multiple / 2) * rate) / (2 * Math.PI)
}
