/** Of the voice's own period: 400 to 66 Hz. */
const shortestPeriodMs = 2.5
const longestPeriodMs = 15
/** How much of the last sound is compared with what came before it: the shorter, the nearer to where it broke off. */
const comparedMs = 10
/** What was made up stays as loud for so long, and is silent after that. */
const steadyMs = 10
const silentAfterMs = 60
/** How long what was made up and what really came are mixed. */
const joinMs = 5

/** Continues the last sound over a gap, in the rhythm of the voice, fading; then lets what follows begin without a click. */
export class Concealment {
  readonly #perMs: number
  readonly #history: Int16Array
  /** What is repeated; undefined while nothing is lost. */
  #repeated: Int16Array | undefined
  #position = 0

  constructor(sampleRate: number) {
    this.#perMs = sampleRate / 1000
    this.#history = new Int16Array((comparedMs + 2 * longestPeriodMs) * this.#perMs)
  }

  /** Sound that really came; its beginning is changed if something was lost before it. */
  heard(samples: Int16Array): void {
    if (this.#repeated) this.#join(samples)
    const history = this.#history
    const kept = Math.min(samples.length, history.length)
    history.copyWithin(0, kept)
    history.set(samples.subarray(samples.length - kept), history.length - kept)
  }

  /** Instead of so many samples that are lost. */
  fill(count: number): Int16Array {
    this.#repeated ??= this.#lastPeriod()
    return this.#made(count)
  }

  #made(count: number): Int16Array {
    const made = new Int16Array(count)
    const repeated = this.#repeated ?? new Int16Array(1)
    const [steady, end] = [steadyMs * this.#perMs, silentAfterMs * this.#perMs]
    for (let at = 0; at < count && this.#position < end; at += 1, this.#position += 1) {
      const level = this.#position < steady ? 1 : (end - this.#position) / (end - steady)
      made[at] = (repeated[this.#position % repeated.length] as number) * level // within its length
    }
    return made
  }

  /** The last period, its end mixed with what came a round earlier, so that rounds join. */
  #lastPeriod(): Int16Array {
    this.#position = 0
    const history = this.#history
    const period = this.#period()
    const begin = history.length - period
    const repeated = history.slice(begin)
    const mixed = period >> 2
    for (let at = 0; at < mixed; at += 1) {
      const share = (at + 1) / (mixed + 1)
      const [last, earlier] = [period - mixed + at, begin - mixed + at]
      repeated[last] = (repeated[last] as number) * (1 - share) + (history[earlier] as number) * share
    }
    return repeated
  }

  /** The distance at which the last sound is most like itself: first on every second or fourth sample, then exactly. */
  #period(): number {
    const step = Math.max(1, Math.round(this.#perMs / 4))
    const [shortest, longest] = [shortestPeriodMs * this.#perMs, longestPeriodMs * this.#perMs]
    const coarse = this.#best(shortest, longest, step, step)
    return this.#best(Math.max(shortest, coarse - step), Math.min(longest, coarse + step), 1, 1)
  }

  #best(from: number, to: number, by: number, every: number): number {
    const history = this.#history
    const begin = history.length - comparedMs * this.#perMs
    let [best, bestLikeness] = [to, -Infinity]
    for (let distance = from; distance <= to; distance += by) {
      let [product, energy] = [0, 1]
      for (let at = begin; at < history.length; at += every) {
        const earlier = history[at - distance] as number // the history is longer than both
        product += (history[at] as number) * earlier
        energy += earlier * earlier
      }
      const likeness = product / Math.sqrt(energy)
      if (likeness > bestLikeness) [best, bestLikeness] = [distance, likeness]
    }
    return best
  }

  #join(samples: Int16Array): void {
    const length = Math.min(joinMs * this.#perMs, samples.length)
    const made = this.#made(length)
    for (let at = 0; at < length; at += 1) {
      const share = (at + 1) / (length + 1)
      samples[at] = (made[at] as number) * (1 - share) + (samples[at] as number) * share // within its length
    }
    this.#repeated = undefined
  }
}
