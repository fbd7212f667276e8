const zeroCrossings = 12
/** Of the lower of the two rates: what lies above it is left out, so that nothing folds back. */
const passBand = 0.9
const kaiserBeta = 7

interface Filter {
  phases: number
  step: number
  /** Input samples on either side of an output sample that it is made of. */
  reach: number
  /** For each phase `2 × reach` weights. */
  weights: Float32Array
}

const filters = new Map<string, Filter>()

/** Samples at another rate, as they come: the sum of the pieces is the whole, behind by half a filter. */
export class Resampler {
  readonly #filter: Filter | undefined
  /** The end of what was taken before, and what is being taken. */
  #waiting: Float32Array
  /** Where the next output sample lies after the first waiting input sample, in phases. */
  #position = 0

  constructor(from: number, to: number) {
    this.#filter = from === to ? undefined : filterFor(from, to)
    this.#waiting = new Float32Array(this.#filter ? 2 * this.#filter.reach - 1 : 0)
  }

  take(samples: Int16Array): Int16Array {
    if (!this.#filter) return samples
    const { phases, step, reach, weights } = this.#filter
    const taps = 2 * reach
    const waiting = this.#join(samples)
    const count = Math.max(0, Math.ceil(((waiting.length - taps + 1) * phases - this.#position) / step))
    const made = new Int16Array(count)
    let position = this.#position
    for (let at = 0; at < count; at += 1, position += step) {
      const begin = Math.floor(position / phases)
      const row = (position - begin * phases) * taps
      let sum = 0
      for (let tap = 0; tap < taps; tap += 1)
        // the buffer reaches as far as the taps do
        sum += (waiting[begin + tap] as number) * (weights[row + tap] as number)
      made[at] = Math.max(-32_768, Math.min(32_767, Math.round(sum)))
    }
    const used = Math.min(Math.floor(position / phases), waiting.length)
    this.#position = position - used * phases
    this.#waiting = waiting.slice(used)
    return made
  }

  #join(samples: Int16Array): Float32Array {
    const joined = new Float32Array(this.#waiting.length + samples.length)
    joined.set(this.#waiting)
    joined.set(samples, this.#waiting.length)
    return joined
  }
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
  const weights = new Float32Array(phases * 2 * reach)
  for (let phase = 0; phase < phases; phase += 1) {
    const row = weights.subarray(phase * 2 * reach, (phase + 1) * 2 * reach)
    let sum = 0
    for (let tap = 0; tap < row.length; tap += 1) {
      const distance = tap - reach + 1 - phase / phases
      row[tap] = cutoff * sinc(cutoff * distance) * kaiser(distance / reach)
      sum += row[tap] ?? 0
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
