/** On each side of a sample, in steps of the slower of the two rates. */
const reach = 16
/** Of the slower rate's half: what lies above it is taken out before it can fold back. */
const passed = 0.94

/** Changes the rate of a stream, by a windowed sinc, piece by piece. */
export class Resampler {
  readonly #up: number
  readonly #down: number
  /** One set of weights for each place an output can have between two inputs. */
  readonly #phases: Float32Array[]
  readonly #taps: number
  #held: Float32Array
  /** Of the next output: the input it begins at, and the phase behind it. */
  #at = 0
  #phase = 0

  constructor(from: number, to: number) {
    const common = greatestCommonDivisor(from, to)
    this.#up = to / common
    this.#down = from / common
    const half = Math.ceil(reach * Math.max(1, from / to))
    this.#taps = 2 * half
    this.#phases = Array.from({ length: this.#up }, (_, phase) =>
      weightsOf(phase / this.#up, half, Math.min(1, to / from) * passed),
    )
    this.#held = new Float32Array(half - 1) // so that the first output stands where the first input does
  }

  push(samples: Float32Array): Float32Array {
    const input = joined(this.#held, samples)
    const output: number[] = []
    while (this.#at + this.#taps <= input.length) {
      output.push(this.#sample(input))
      this.#phase += this.#down
      this.#at += Math.floor(this.#phase / this.#up)
      this.#phase %= this.#up
    }
    const kept = Math.min(this.#at, input.length)
    this.#held = input.slice(kept)
    this.#at -= kept
    return Float32Array.from(output)
  }

  /** What is still inside when no more comes. */
  end(): Float32Array {
    return this.push(new Float32Array(this.#taps / 2))
  }

  #sample(input: Float32Array): number {
    const weights = this.#phases[this.#phase]
    if (!weights) throw new Error('a phase is always under the factor it counts to')
    let sum = 0
    for (let tap = 0; tap < this.#taps; tap += 1) sum += (weights[tap] ?? 0) * (input[this.#at + tap] ?? 0)
    return sum
  }
}

/** Weights of the inputs around an output that stands `offset` after the input in the middle. */
function weightsOf(offset: number, half: number, cutoff: number): Float32Array {
  const weights = Float32Array.from({ length: 2 * half }, (_, tap) => {
    const distance = tap - (half - 1) - offset
    return cutoff * sinc(cutoff * distance) * blackman(distance / half)
  })
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.map((weight) => weight / sum)
}

const sinc = (x: number) => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x))

const blackman = (x: number) =>
  Math.abs(x) > 1 ? 0 : 0.42 + 0.5 * Math.cos(Math.PI * x) + 0.08 * Math.cos(2 * Math.PI * x)

const greatestCommonDivisor = (a: number, b: number): number =>
  b === 0 ? a : greatestCommonDivisor(b, a % b)

function joined(first: Float32Array, second: Float32Array): Float32Array {
  const both = new Float32Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}
