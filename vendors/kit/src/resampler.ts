const zeroCrossings = 16
/** Of the lower of the two rates: what lies above it is left out, so that nothing folds back. */
const passBand = 0.92
const kaiserBeta = 8

interface Filter {
  phases: number
  step: number
  /** Input samples on either side of an output sample that it is made of. */
  reach: number
  /** For each phase `2 × reach` weights. */
  weights: Float64Array
}

const filters = new Map<string, Filter>()

/** Signed 16-bit little-endian mono samples at another rate, as they come: the sum of the pieces is the whole. */
export class Resampler {
  readonly #filter: Filter | undefined
  #waiting: Float64Array
  /** The input sample that `#waiting` begins with. */
  #first: number
  #taken = 0
  #made = 0

  constructor(from: number, to: number) {
    this.#filter = from === to ? undefined : filterFor(from, to)
    const before = this.#filter?.reach ?? 0
    this.#waiting = new Float64Array(before)
    this.#first = -before
  }

  take(pcm: Uint8Array): Uint8Array {
    if (!this.#filter) return pcm
    const samples = samplesOf(pcm)
    this.#taken += samples.length
    this.#append(samples)
    return this.#make(this.#filter, Infinity)
  }

  /** What was still waiting for samples after it. */
  end(): Uint8Array {
    if (!this.#filter) return new Uint8Array(0)
    const { phases, step, reach } = this.#filter
    this.#append(new Float64Array(reach + 1))
    return this.#make(this.#filter, Math.round((this.#taken * phases) / step))
  }

  #append(samples: Float64Array | Int16Array) {
    const joined = new Float64Array(this.#waiting.length + samples.length)
    joined.set(this.#waiting)
    joined.set(samples, this.#waiting.length)
    this.#waiting = joined
  }

  #make({ phases, step, reach, weights }: Filter, upTo: number): Uint8Array {
    const end = this.#first + this.#waiting.length - reach
    const most = Math.max(0, Math.min(Math.ceil((end * phases) / step), upTo) - this.#made)
    const made = new Int16Array(most)
    const [waiting, first, begun, taps] = [this.#waiting, this.#first, this.#made, 2 * reach]
    for (let at = 0; at < most; at += 1) {
      const position = (begun + at) * step
      const begin = Math.floor(position / phases) - reach + 1 - first
      const row = (position % phases) * taps
      let sum = 0
      for (let tap = 0; tap < taps; tap += 1)
        // the buffer reaches as far as the taps do
        sum += (waiting[begin + tap] as number) * (weights[row + tap] as number)
      made[at] = Math.max(-32_768, Math.min(32_767, Math.round(sum)))
    }
    this.#made += most
    const needed = Math.floor((this.#made * step) / phases) - reach + 1 - this.#first
    this.#waiting = this.#waiting.slice(Math.max(0, needed))
    this.#first += Math.max(0, needed)
    return new Uint8Array(made.buffer)
  }
}

/** The samples in these bytes, whatever place in memory they begin at. */
export function samplesOf(pcm: Uint8Array): Int16Array {
  const count = Math.floor(pcm.length / 2)
  const { buffer, byteOffset } = pcm.byteOffset % 2 === 0 ? pcm : new Uint8Array(pcm)
  return new Int16Array(buffer, byteOffset, count)
}

function filterFor(from: number, to: number): Filter {
  const name = `${from}:${to}`
  const known = filters.get(name) ?? makeFilter(from, to)
  filters.set(name, known)
  return known
}

/** A windowed sinc, cut into as many phases as there are places between two input samples. */
function makeFilter(from: number, to: number): Filter {
  const divisor = greatestDivisor(from, to)
  const [phases, step] = [to / divisor, from / divisor]
  const cutoff = Math.min(1, to / from) * passBand
  const reach = Math.ceil(zeroCrossings / cutoff)
  const weights = new Float64Array(phases * 2 * reach)
  for (let phase = 0; phase < phases; phase += 1) {
    const row = weights.subarray(phase * 2 * reach, (phase + 1) * 2 * reach)
    let sum = 0
    for (let tap = 0; tap < row.length; tap += 1) {
      const distance = tap - reach + 1 - phase / phases
      const value = cutoff * sinc(cutoff * distance) * kaiser(distance / reach)
      row[tap] = value
      sum += value
    }
    for (let tap = 0; tap < row.length; tap += 1) row[tap] = (row[tap] ?? 0) / sum // a steady level stays
  }
  return { phases, step, reach, weights }
}

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b))

const sinc = (x: number) => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x))

const kaiser = (x: number) =>
  Math.abs(x) >= 1 ? 0 : bessel(kaiserBeta * Math.sqrt(1 - x * x)) / bessel(kaiserBeta)

function bessel(x: number): number {
  let sum = 1
  for (let k = 1, term = 1; term > 1e-9 * sum; k += 1) {
    term *= (x / (2 * k)) ** 2
    sum += term
  }
  return sum
}
