import type { NewEntry } from '@switchroom/contract/log'
import type { LineFigures, WayFigures } from '@switchroom/media/leg'
import { mosOf, rating } from '@switchroom/media/rtp/mos'

const sampleEveryMs = 5_000
/** How often the log says how a call's line is while it runs: every minute. */
const samplesPerEntry = 12
/** Below this nearly everybody is dissatisfied (ITU-T G.107, annex B), above the other some are. */
const badMos = 3.1
const goodMos = 3.6
/** So many samples in a row make a line bad, or good again: ten seconds. */
const samplesToTell = 2
/** Of fewer packets a share says little. */
const fewestPackets = 50
/** What packets wait before they are played, besides the jitter that is waited out. */
const bufferMs = 40

/** `heard` is what comes from the caller, `sent` what they hear of us. */
const ways = ['heard', 'sent'] as const
type Way = (typeof ways)[number]

/** Both ways as the log has them. */
export interface WayQuality {
  packets: number
  loss_percent: number
  jitter_ms: number
  mos: number
}

/** One way over the samples so far. */
class WayHistory {
  #before: WayFigures = { expected: 0, lost: 0, jitterMs: 0 }
  #jitterSum = 0
  #samples = 0
  /** Samples in a row that say otherwise than what was told. */
  #otherwise = 0
  #badSince: number | undefined

  /** What came since the last sample; undefined if that is too little to judge by. */
  since(now: WayFigures): WayFigures | undefined {
    const expected = now.expected - this.#before.expected
    if (expected < fewestPackets) return undefined
    const lost = Math.max(0, now.lost - this.#before.lost)
    this.#before = now
    this.#jitterSum += now.jitterMs
    this.#samples += 1
    return { expected, lost, jitterMs: now.jitterMs }
  }

  /** From the beginning on, with the mean jitter. */
  whole(now: WayFigures): WayFigures {
    return { ...now, jitterMs: this.#samples === 0 ? now.jitterMs : this.#jitterSum / this.#samples }
  }

  /** Whether it turned bad, or good again after so many seconds; undefined if it stays as it was. */
  turn(mos: number, nowS: number): 'bad' | { goodAfterS: number } | undefined {
    const isOtherwise = this.#badSince === undefined ? mos < badMos : mos >= goodMos
    this.#otherwise = isOtherwise ? this.#otherwise + 1 : 0
    if (this.#otherwise < samplesToTell) return undefined
    this.#otherwise = 0
    const since = this.#badSince
    this.#badSince = since === undefined ? nowS : undefined
    return since === undefined ? 'bad' : { goodAfterS: nowS - since }
  }
}

/** Follows how the line of a call is: a summary now and then, and a warning when it is bad for some seconds. */
export class LineWatch {
  readonly #line: () => LineFigures | undefined
  readonly #keep: (entries: NewEntry[]) => void
  readonly #histories: Record<Way, WayHistory> = { heard: new WayHistory(), sent: new WayHistory() }
  #timer: NodeJS.Timeout | undefined
  #samples = 0
  #roundTrips: number[] = []

  constructor(line: () => LineFigures | undefined, keep: (entries: NewEntry[]) => void) {
    this.#line = line
    this.#keep = keep
  }

  start(): void {
    this.#timer = setInterval(() => this.sample(), sampleEveryMs)
    this.#timer.unref()
  }

  sample(): void {
    const line = this.#line()
    if (!line) return
    this.#samples += 1
    if (line.roundTripMs !== null) this.#roundTrips.push(line.roundTripMs)
    const entries = ways.flatMap((way) => this.#judge(way, line))
    if (this.#samples % samplesPerEntry === 0) entries.push(...this.#summary(line, false))
    if (entries.length > 0) this.#keep(entries)
  }

  /** The last summary; none for a leg that measures nothing. */
  end(): NewEntry[] {
    clearInterval(this.#timer)
    const line = this.#line()
    return line ? this.#summary(line, true) : []
  }

  #judge(way: Way, line: LineFigures): NewEntry[] {
    const now = line[way]
    const since = now && this.#histories[way].since(now)
    if (!since) return []
    const quality = qualityOf(line.codec, since, line.roundTripMs)
    const turned = this.#histories[way].turn(quality.mos, (this.#samples * sampleEveryMs) / 1000)
    if (turned === undefined) return []
    if (turned !== 'bad') return [{ type: 'call.line_recovered', data: { way, after_s: turned.goodAfterS } }]
    const round_trip_ms = rounded(line.roundTripMs)
    return [{ type: 'call.line_warning', data: { way, ...quality, round_trip_ms } }]
  }

  /** None while nothing came and nothing was reported. */
  #summary(line: LineFigures, isWhole: boolean): NewEntry[] {
    const meanMs =
      this.#roundTrips.length === 0
        ? line.roundTripMs
        : this.#roundTrips.reduce((sum, ms) => sum + ms, 0) / this.#roundTrips.length
    const [heard, sent] = ways.map((way) => {
      const now = line[way]
      if (!now || now.expected === 0) return null
      return qualityOf(line.codec, this.#histories[way].whole(now), meanMs)
    })
    if (!heard && !sent) return []
    const data = {
      stage: 'line',
      codec: line.codec,
      whole: isWhole,
      round_trip_ms: rounded(meanMs),
      heard,
      sent,
    }
    return [{ type: 'metrics', data }]
  }
}

function qualityOf(
  codec: string,
  { expected, lost, jitterMs }: WayFigures,
  roundTripMs: number | null,
): WayQuality {
  const lossPercent = expected === 0 ? 0 : (100 * lost) / expected
  const delayMs = (roundTripMs ?? 0) / 2 + 2 * jitterMs + bufferMs
  return {
    packets: expected,
    loss_percent: tenths(lossPercent),
    jitter_ms: tenths(jitterMs),
    mos: Math.round(mosOf(rating({ codec, lossPercent, delayMs })) * 100) / 100,
  }
}

const tenths = (value: number) => Math.round(value * 10) / 10
const rounded = (ms: number | null) => (ms === null ? null : Math.round(ms))
