/** Speech is compared at this rate: enough to tell two voices apart, and cheap. */
const rate = 2_000
const hop = Math.round(rate * 0.06)
/** How long the line was silent, or not, is measured over so much. */
const span = rate / 10
const window = Math.round(rate * 0.256)
/** Echoes that come later than this are not looked for: 600 ms. */
const lags = Math.round(rate * 0.6)
const kept = window + lags
const lagStep = rate / 50

/** Of samples, in amplitude: what is quieter is heard by no speech detection. */
const quietest = 4
/** What the agent plays is loud enough to be measured. */
const audible = 100
/** An echo below this share of the energy that was played (−50 dB) is none. */
const silentShare = 1e-5
/** How alike what was played and what is heard are over several windows: measured on human voices, which reach 0.29. */
const echoLikeness = 0.4
const otherLikeness = 0.25
/** The same in a single window, where two voices reach 0.6. */
const sureLikeness = 0.8
const doubtfulLikeness = 0.55
const memory = 0.8
/** An echo has one delay: so far from it the two are less alike. Tones, and two voices, are alike everywhere. */
const apart = Math.round(rate * 0.06)
const distinct = 1.3
/** So many windows in which somebody else was heard show that there is no echo. */
const enoughOthers = 10
const muchOthers = 8
/** How often to look: a call that is known changes seldom. */
const everyHops = { unknown: 1, none: 3, present: 16 }

export type Echo = 'unknown' | 'none' | 'present'

/** Says whether what is heard is what was played a moment ago. */
export class EchoDetector {
  readonly #step: number
  readonly #played = new Float32Array(kept)
  readonly #heard = new Float32Array(kept)
  /** By delay: in the newest window, and so far. */
  readonly #alike = new Float32Array(lags)
  readonly #likeness = new Float32Array(lags)
  /** The delays at which the line was silent although something had been played. */
  readonly #silentAt = new Set<number>()
  #lastPlayed = 0
  #lastHeard = 0
  #fresh = 0
  #others = 0
  #hops = 0
  echo: Echo = 'unknown'
  /** While it is unknown: whether what is heard now is something else than what was played. */
  isOther = false
  /** Of the echo, once there is one. */
  delayMs = 0

  constructor(sampleRate: number) {
    this.#step = sampleRate / rate
  }

  /** Both of the same length and time. */
  add(played: Int16Array | null, heard: Int16Array) {
    const length = Math.floor(heard.length / this.#step)
    this.#played.copyWithin(0, length)
    this.#heard.copyWithin(0, length)
    for (let n = 0, at = kept - length; n < length; n += 1, at += 1) {
      const [now, near] = [played ? this.#mean(played, n) : 0, this.#mean(heard, n)]
      this.#played[at] = now - 0.9 * this.#lastPlayed
      this.#heard[at] = near - 0.9 * this.#lastHeard
      this.#lastPlayed = now
      this.#lastHeard = near
    }
    this.#fresh += length
    if (this.#fresh < hop) return
    this.#fresh = 0
    this.#consider()
  }

  #mean(samples: Int16Array, n: number): number {
    let sum = 0
    for (let at = n * this.#step, end = at + this.#step; at < end; at += 1) sum += samples[at] ?? 0
    return sum / this.#step
  }

  #consider() {
    this.#hops += 1
    this.isOther = false
    const heardEnergy = energy(this.#heard, kept - window, kept)
    if (energy(this.#played, 0, kept) < audible ** 2 * 0.1) return
    this.#noticeSilence()
    if (heardEnergy < quietest ** 2) return
    if (this.#hops % everyHops[this.echo] !== 0) return
    this.#compare(heardEnergy * window)
  }

  /** Nothing is heard of what was played with any delay: there is no echo. */
  #noticeSilence() {
    if (this.echo !== 'unknown') return
    const heard = energy(this.#heard, kept - span, kept)
    for (let lag = 0; lag < lags; lag += lagStep) {
      const played = energy(this.#played, kept - span - lag, kept - lag)
      if (played >= audible ** 2 && heard < played * silentShare) this.#silentAt.add(lag)
    }
    if (this.#silentAt.size * lagStep >= lags) this.echo = 'none'
  }

  #compare(heardEnergy: number) {
    const [played, heard] = [this.#played, this.#heard]
    let playedEnergy = energy(played, lags, kept) * window
    let audibleLags = 0
    for (let lag = 0; lag < lags; lag += 1) {
      const from = lags - lag
      if (lag > 0) playedEnergy += (played[from] ?? 0) ** 2 - (played[from + window] ?? 0) ** 2
      let sum = 0
      const isAudible = playedEnergy > audible ** 2 * window * 0.1
      if (isAudible) audibleLags += 1
      if (isAudible)
        for (let n = 0; n < window; n += 1) sum += (heard[lags + n] ?? 0) * (played[from + n] ?? 0)
      const alike = sum === 0 ? 0 : sum / Math.sqrt(heardEnergy * playedEnergy)
      this.#alike[lag] = alike
      this.#likeness[lag] = (this.#likeness[lag] ?? 0) * memory + alike * (1 - memory)
    }
    const [now, soFar] = [peakOf(this.#alike), peakOf(this.#likeness)]
    this.isOther = !now.isDistinct || now.height < doubtfulLikeness
    this.#others = this.isOther && soFar.height < otherLikeness ? this.#others + 1 : 0
    const isSure = now.isDistinct && now.height > sureLikeness
    // one delay stands out only among many: of what has just begun to be played there are few
    const isEcho = (isSure || (soFar.isDistinct && soFar.height > echoLikeness)) && audibleLags > lags / 2
    if (this.echo !== 'present' && isEcho) {
      this.echo = 'present'
      this.delayMs = ((isSure ? now : soFar).lag / rate) * 1_000
    } else if (this.echo !== 'none' && this.#others >= (this.echo === 'present' ? muchOthers : enoughOthers))
      this.echo = 'none'
  }
}

function peakOf(likeness: Float32Array) {
  let [height, lag, elsewhere] = [0, 0, 0]
  for (let at = 0; at < likeness.length; at += 1) {
    if (Math.abs(likeness[at] ?? 0) <= height) continue
    height = Math.abs(likeness[at] ?? 0)
    lag = at
  }
  for (let at = 0; at < likeness.length; at += 1)
    if (Math.abs(at - lag) > apart) elsewhere = Math.max(elsewhere, Math.abs(likeness[at] ?? 0))
  return { height, lag, isDistinct: height > distinct * elsewhere }
}

function energy(samples: Float32Array, from: number, to: number): number {
  let sum = 0
  for (let at = from; at < to; at += 1) sum += (samples[at] ?? 0) ** 2
  return sum / (to - from)
}
