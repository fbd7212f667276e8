// Adaptive differential coding of one half of the band, as ITU-T G.722 defines it: every table is the recommendation's.

const zeros = 6

/** What a code stands for: its part of the scale for the sound, the same in fewer levels for the prediction, and the step of the scale. */
interface Tables {
  /** In the codes' order. */
  heard: Int32Array
  predicted: Int32Array
  scaleSteps: Int32Array
  /** How many bits of a code the prediction does without, so that a far end may drop them. */
  spareBits: number
  /** Where one code ends and the next begins, from the middle outwards, and the codes above and below the middle. */
  borders: Int32Array
  positive: Int32Array
  negative: Int32Array
  largestScale: number
  /** How far the scale is shifted before it multiplies. */
  shift: number
  firstStep: number
}

/** From the loudest to the quietest. */
const lowLevels =
  table(`24808 21904 19008 16704 14984 13512 12280 11192 10232 9360 8576 7856 7192 6576 6000 5456
  4944 4464 4008 3576 3168 2776 2400 2032 1688 1360 1040 728 432 136`)

const lowTables: Tables = {
  heard: Int32Array.from({ length: 64 }, (_, code) => {
    if (code < 4) return -136 // no encoder makes these
    if (code < 32) return -(lowLevels[code - 4] as number)
    return code < 62 ? (lowLevels[code - 32] as number) : -(lowLevels[code - 34] as number) // each has its level
  }),
  predicted: table(`0 -20456 -12896 -8968 -6288 -4240 -2584 -1200 20456 12896 8968 6288 4240 2584 1200 0`),
  scaleSteps: table(`-60 3042 1198 538 334 172 58 -30 3042 1198 538 334 172 58 -30 -60`),
  spareBits: 2,
  borders:
    table(`35 72 110 150 190 233 276 323 370 422 473 530 587 650 714 786 858 940 1023 1121 1219 1339 1458
    1612 1765 1980 2195 2557 2919`),
  positive: Int32Array.from({ length: 30 }, (_, level) => 61 - level),
  negative: Int32Array.from({ length: 30 }, (_, level) => (level < 2 ? 63 - level : 33 - level)),
  largestScale: 18_432,
  shift: 8,
  firstStep: 32,
}

const highTables: Tables = {
  heard: Int32Array.of(-7408, -1616, 7408, 1616),
  predicted: Int32Array.of(-7408, -1616, 7408, 1616),
  scaleSteps: Int32Array.of(798, -214, 798, -214),
  spareBits: 0,
  borders: Int32Array.of(564),
  positive: Int32Array.of(3, 2),
  negative: Int32Array.of(1, 0),
  largestScale: 22_528,
  shift: 10,
  firstStep: 8,
}

/** 2048 times the powers of two between 1 and 2. */
const powers =
  table(`2048 2093 2139 2186 2233 2282 2332 2383 2435 2489 2543 2599 2656 2714 2774 2834 2896 2960 3025
  3091 3158 3228 3298 3371 3444 3520 3597 3676 3756 3838 3922 4008`)

function table(numbers: string): Int32Array {
  return Int32Array.from(numbers.split(/\s+/), Number)
}

const saturated = (value: number) => (value > 32_767 ? 32_767 : value < -32_768 ? -32_768 : value)

/** One half of the band: the same prediction runs at either end, fed by nothing but the codes. */
export class Band {
  readonly #tables: Tables
  /** The scale, as a logarithm and as it multiplies. */
  #logScale = 0
  #step: number
  /** What is expected next, and the part of it that the zeros of the filter make. */
  #expected = 0
  #fromZeros = 0
  /** Of the poles: weights, and the last two values rebuilt and of the signal without the poles. */
  #a1 = 0
  #a2 = 0
  #rebuilt1 = 0
  #rebuilt2 = 0
  #partial1 = 0
  #partial2 = 0
  readonly #weights = new Int32Array(zeros)
  readonly #differences = new Int32Array(zeros)

  constructor(tables: Tables) {
    this.#tables = tables
    this.#step = tables.firstStep
  }

  encode(sample: number): number {
    const { borders, positive, negative, predicted, spareBits } = this.#tables
    const error = saturated(sample - this.#expected)
    const size = error >= 0 ? error : ~error
    let level = 0
    while (level < borders.length && size >= ((borders[level] as number) * this.#step) >> 12) level += 1
    const code = (error < 0 ? negative : positive)[level] as number // every level has its code
    this.#adapt(code >> spareBits, predicted)
    return code
  }

  decode(code: number): number {
    const { heard, predicted, spareBits } = this.#tables
    const value = this.#expected + ((this.#step * (heard[code] as number)) >> 15) // every code has its value
    this.#adapt(code >> spareBits, predicted)
    return value > 16_383 ? 16_383 : value < -16_384 ? -16_384 : value
  }

  #adapt(code: number, predicted: Int32Array): void {
    const difference = (this.#step * (predicted[code] as number)) >> 15
    this.#rescale(code)
    this.#predict(difference)
  }

  #rescale(code: number): void {
    const { scaleSteps, largestScale, shift } = this.#tables
    const scale = ((this.#logScale * 127) >> 7) + (scaleSteps[code] as number)
    this.#logScale = scale < 0 ? 0 : scale > largestScale ? largestScale : scale
    const power = powers[(this.#logScale >> 6) & 31] as number // 32 of them
    const down = shift - (this.#logScale >> 11)
    this.#step = (down < 0 ? power << -down : power >> down) << 2
  }

  #predict(difference: number): void {
    const rebuilt = saturated(this.#expected + difference)
    const partial = saturated(this.#fromZeros + difference)
    this.#movePoles(partial)
    const fromZeros = this.#moveZeros(difference)
    this.#rebuilt2 = this.#rebuilt1
    this.#rebuilt1 = rebuilt
    this.#partial2 = this.#partial1
    this.#partial1 = partial
    const fromPoles = saturated(
      ((this.#a1 * saturated(2 * this.#rebuilt1)) >> 15) + ((this.#a2 * saturated(2 * this.#rebuilt2)) >> 15),
    )
    this.#fromZeros = fromZeros
    this.#expected = saturated(fromPoles + fromZeros)
  }

  /** The poles follow the signs of the last values, and stay where the filter is stable. */
  #movePoles(partial: number): void {
    const isLikeLast = partial < 0 === this.#partial1 < 0
    const isLikeOneBefore = partial < 0 === this.#partial2 < 0
    const first = saturated(4 * this.#a1)
    const pull = Math.min(isLikeLast ? -first : first, 32_767) >> 7
    const second = pull + (isLikeOneBefore ? 128 : -128) + ((this.#a2 * 32_512) >> 15)
    this.#a2 = second > 12_288 ? 12_288 : second < -12_288 ? -12_288 : second
    const moved = saturated((isLikeLast ? 192 : -192) + ((this.#a1 * 32_640) >> 15))
    const most = saturated(15_360 - this.#a2)
    this.#a1 = moved > most ? most : moved < -most ? -most : moved
  }

  /** The newest difference moves every weight by the sign that it shares with the one at that place. */
  #moveZeros(difference: number): number {
    const [weights, differences] = [this.#weights, this.#differences]
    const push = difference === 0 ? 0 : 128
    for (let at = 0; at < zeros; at += 1) {
      const isAlike = difference < 0 === (differences[at] as number) < 0
      weights[at] = saturated((isAlike ? push : -push) + (((weights[at] as number) * 32_640) >> 15))
    }
    let sum = 0
    for (let at = zeros - 1; at > 0; at -= 1) {
      differences[at] = differences[at - 1] as number
      sum += ((weights[at] as number) * saturated(2 * (differences[at] as number))) >> 15
    }
    differences[0] = difference
    sum += ((weights[0] as number) * saturated(2 * difference)) >> 15
    return saturated(sum)
  }
}

export const lowBand = () => new Band(lowTables)
export const highBand = () => new Band(highTables)
