import { resampled } from '@switchroom/audio/resampler'
import { modelRate, mostHeardMs, turnModel } from './turn-model.ts'

/** A judgement that takes longer comes too late. */
const patienceMs = 1_000
const mostHeard = (modelRate * mostHeardMs) / 1_000

/** Says of a pause, by the sound before it, whether the caller is done. */
export class PauseJudge {
  readonly #sampleRate: number
  readonly #last: Int16Array

  constructor(sampleRate: number) {
    this.#sampleRate = sampleRate
    this.#last = new Int16Array(Math.round((sampleRate * mostHeardMs) / 1_000))
    void turnModel()
  }

  add(samples: Int16Array) {
    const added = samples.subarray(-this.#last.length)
    this.#last.copyWithin(0, added.length)
    this.#last.set(added, this.#last.length - added.length)
  }

  /** How likely it is that the caller is done; null if unknown. */
  async judge(): Promise<number | null> {
    const samples = this.#heard()
    const { promise: late, resolve } = Promise.withResolvers<null>()
    const timer = setTimeout(() => resolve(null), patienceMs)
    try {
      const judged = turnModel().then((model) => model?.(samples) ?? null)
      return await Promise.race([judged, late])
    } catch {
      return null
    } finally {
      clearTimeout(timer)
    }
  }

  #heard(): Int16Array {
    const heard = resampled(this.#last, this.#sampleRate, modelRate)
    return heard.slice(-mostHeard)
  }
}
