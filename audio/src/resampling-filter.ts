/** How steep the filter is: steeper takes more arithmetic for each sample and more samples ahead. */
export interface ResamplingQuality {
  zeroCrossings: number
  /** Of the lower of the two rates: what lies above it is left out, so that nothing folds back. */
  passBand: number
  kaiserBeta: number
}

/** For a call in progress, where every sample ahead is a delay. */
export const quickResampling: ResamplingQuality = { zeroCrossings: 12, passBand: 0.9, kaiserBeta: 7 }
/** For speech that is made or transcribed. */
export const fineResampling: ResamplingQuality = { zeroCrossings: 16, passBand: 0.92, kaiserBeta: 8 }

export interface ResamplingFilter {
  phases: number
  step: number
  /** Input samples on either side of an output sample that it is made of. */
  reach: number
  /** For each phase `2 × reach` weights. */
  weights: Float32Array
}

const made = new Map<string, ResamplingFilter>()

export function resamplingFilter(from: number, to: number, quality: ResamplingQuality): ResamplingFilter {
  const name = [from, to, quality.zeroCrossings, quality.passBand, quality.kaiserBeta].join(':')
  const filter = made.get(name) ?? makeFilter(from, to, quality)
  made.set(name, filter)
  return filter
}

/** A windowed sinc, cut into as many phases as there are places between two input samples. */
function makeFilter(from: number, to: number, quality: ResamplingQuality): ResamplingFilter {
  const divisor = greatestDivisor(from, to)
  const [phases, step] = [to / divisor, from / divisor]
  const cutoff = Math.min(1, to / from) * quality.passBand
  const reach = Math.ceil(quality.zeroCrossings / cutoff)
  const weights = new Float32Array(phases * 2 * reach)
  for (let phase = 0; phase < phases; phase += 1) {
    const row = Float64Array.from({ length: 2 * reach }, (_, tap) => {
      const distance = tap - reach + 1 - phase / phases
      return cutoff * sinc(cutoff * distance) * kaiser(distance / reach, quality.kaiserBeta)
    })
    const sum = row.reduce((total, weight) => total + weight, 0)
    weights.set(
      row.map((weight) => weight / sum), // a steady level stays as loud
      phase * 2 * reach,
    )
  }
  return { phases, step, reach, weights }
}

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b))

const sinc = (x: number) => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x))

const kaiser = (x: number, beta: number) =>
  Math.abs(x) >= 1 ? 0 : bessel(beta * Math.sqrt(1 - x * x)) / bessel(beta)

function bessel(x: number): number {
  let sum = 1
  for (let k = 1, term = 1; term > 1e-9 * sum; k += 1) {
    term *= (x / (2 * k)) ** 2
    sum += term
  }
  return sum
}
