import {
  fineResampling,
  resamplingFilter,
  type ResamplingFilter,
  type ResamplingQuality,
} from './resampling-filter.ts'

export interface ResamplerOptions {
  quality?: ResamplingQuality
  /** Every frame in gives a frame as long at once, half a filter late; otherwise nothing is late and the end is flushed. */
  keepsPace?: boolean
}

type Samples = Float32Array | Int16Array

/** Samples of one channel at another rate, in pieces of any length: the sum of the pieces is the whole. */
export class Resampler {
  readonly #filter: ResamplingFilter | undefined
  /** The end of what was taken before, and what is being taken. */
  #waiting: Float32Array
  /** Where the next output sample lies after the first waiting input sample, in phases. */
  #position = 0
  #taken = 0
  #made = 0

  constructor(from: number, to: number, options: ResamplerOptions = {}) {
    this.#filter = from === to ? undefined : resamplingFilter(from, to, options.quality ?? fineResampling)
    const reach = this.#filter?.reach ?? 1
    this.#waiting = new Float32Array((options.keepsPace ? 2 * reach : reach) - 1)
  }

  /** In the scale of what it is given. */
  push(samples: Samples): Float32Array {
    if (!this.#filter) return samples instanceof Float32Array ? samples : Float32Array.from(samples)
    this.#taken += samples.length
    return this.#make(this.#filter, samples, Infinity)
  }

  /** What was still waiting for samples after it. */
  end(): Float32Array {
    if (!this.#filter) return new Float32Array(0)
    const { phases, step, reach } = this.#filter
    return this.#make(this.#filter, new Float32Array(reach + 1), Math.round((this.#taken * phases) / step))
  }

  /** The same of 16-bit samples. */
  take(samples: Int16Array): Int16Array {
    return this.#filter ? clipped(this.push(samples)) : samples
  }

  rest(): Int16Array {
    return clipped(this.end())
  }

  #make({ phases, step, reach, weights }: ResamplingFilter, samples: Samples, upTo: number): Float32Array {
    const taps = 2 * reach
    const waiting = joined(this.#waiting, samples)
    const ready = Math.ceil(((waiting.length - taps + 1) * phases - this.#position) / step)
    const count = Math.max(0, Math.min(ready, upTo - this.#made))
    const made = new Float32Array(count)
    let position = this.#position
    for (let at = 0; at < count; at += 1, position += step) {
      const begin = Math.floor(position / phases)
      const row = (position - begin * phases) * taps
      let sum = 0
      for (let tap = 0; tap < taps; tap += 1)
        // the buffer reaches as far as the taps do
        sum += (waiting[begin + tap] as number) * (weights[row + tap] as number)
      made[at] = sum
    }
    const used = Math.min(Math.floor(position / phases), waiting.length)
    this.#position = position - used * phases
    this.#waiting = waiting.slice(used)
    this.#made += count
    return made
  }
}

/** A whole recording at another rate. */
export function resampled(samples: Int16Array, from: number, to: number): Int16Array {
  const resampler = new Resampler(from, to)
  const [most, last] = [resampler.take(samples), resampler.rest()]
  const whole = new Int16Array(most.length + last.length)
  whole.set(most)
  whole.set(last, most.length)
  return whole
}

function joined(first: Float32Array, second: Samples): Float32Array {
  const both = new Float32Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}

function clipped(samples: Float32Array): Int16Array {
  const made = new Int16Array(samples.length)
  for (let at = 0; at < samples.length; at += 1)
    made[at] = Math.max(-32_768, Math.min(32_767, Math.round(samples[at] as number))) // within its length
  return made
}
