import { highHz, keyAt, lowHz } from './keypad.ts'
import { frameMs } from './pacer.ts'

/** Quieter than this is no key: about 45 dB below the loudest. */
const leastLevel = 180
/** Of all the sound in a moment, what the two tones make up. A voice has more beside any two of its tones. */
const leastShare = 0.55
/** How much stronger one of the two may be: lines weaken the high one more, phones make it stronger. */
const mostLowOverHigh = 8
const mostHighOverLow = 5
/** How much stronger each is than the others of its group. */
const leastOverOthers = 6
/** So many moments of 10 ms have the same two tones before a key is reported, and none of them before it is over. */
const sameMoments = 3
const otherMoments = 3

/** Finds keys that were pressed in the sound itself (Q.23, Q.24). */
export class ToneDetector {
  readonly #half: number
  readonly #window: Float64Array
  readonly #turns: Float64Array
  readonly #powers = new Float64Array(lowHz.length + highHz.length)
  #key: string | undefined
  #same = 0
  #other = 0
  #isReported = false
  #lastEnergy = 0

  constructor(sampleRate: number) {
    this.#half = (sampleRate * frameMs) / 2000
    this.#window = new Float64Array(2 * this.#half)
    this.#turns = Float64Array.from(
      [...lowHz, ...highHz],
      (hz) => 2 * Math.cos((2 * Math.PI * hz) / sampleRate),
    )
  }

  /** The keys that a frame ends the proof of. */
  take(frame: Int16Array): string[] {
    const found: string[] = []
    for (let at = 0; at + this.#half <= frame.length; at += this.#half) {
      this.#window.copyWithin(0, this.#half)
      for (let place = 0; place < this.#half; place += 1)
        this.#window[this.#half + place] = frame[at + place] as number // within the frame
      const key = this.#follow(this.#keyNow())
      if (key !== undefined) found.push(key)
    }
    return found
  }

  #follow(key: string | undefined): string | undefined {
    if (key !== undefined && key === this.#key) {
      this.#same += 1
      this.#other = 0
      if (this.#same < sameMoments || this.#isReported) return undefined
      this.#isReported = true
      return key
    }
    this.#other += 1
    // a tone that is broken for a moment is still the same one
    if (this.#isReported && this.#other < otherMoments) return undefined
    this.#key = key
    this.#same = key === undefined ? 0 : 1
    this.#other = 0
    this.#isReported = false
    return undefined
  }

  #keyNow(): string | undefined {
    const window = this.#window
    let energy = 0
    for (let at = 0; at < window.length; at += 1) energy += (window[at] as number) ** 2
    const before = this.#lastEnergy
    this.#lastEnergy = energy
    if (energy < window.length * leastLevel ** 2) return undefined
    if (energy > 4 * before) return undefined // a tone that begins is judged once it is steady
    this.#measure()
    const low = strongest(this.#powers, 0, lowHz.length)
    const high = strongest(this.#powers, lowHz.length, this.#powers.length)
    if (!low.isAlone || !high.isAlone || low.power + high.power < leastShare * energy) return undefined
    if (low.power > mostLowOverHigh * high.power || high.power > mostHighOverLow * low.power) return undefined
    return keyAt(low.at, high.at - lowHz.length)
  }

  /** How much of the energy each of the tones has (Goertzel). */
  #measure(): void {
    const window = this.#window
    for (let tone = 0; tone < this.#turns.length; tone += 1) {
      const turn = this.#turns[tone] as number // within their length, as below
      let [last, oneBefore] = [0, 0]
      for (let at = 0; at < window.length; at += 1) {
        const next = (window[at] as number) + turn * last - oneBefore
        oneBefore = last
        last = next
      }
      const square = last * last + oneBefore * oneBefore - turn * last * oneBefore
      this.#powers[tone] = (2 * square) / window.length
    }
  }
}

function strongest(powers: Float64Array, from: number, to: number) {
  let at = from
  for (let tone = from; tone < to; tone += 1) if ((powers[tone] as number) > (powers[at] as number)) at = tone
  const power = powers[at] as number
  let isAlone = true
  for (let tone = from; tone < to; tone += 1)
    if (tone !== at && leastOverOthers * (powers[tone] as number) > power) isAlone = false
  return { at, power, isAlone }
}
