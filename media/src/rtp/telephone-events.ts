import { frequenciesOf, keypad, keysIn } from '../sound/keypad.ts'
import { frameMs } from '../sound/pacer.ts'

const toneFrames = 5
/** The end is sent three times, because no other packet carries it. */
const endFrames = 3
const pauseFrames = 5
const volume = 10
/** A sender that gives each packet of a tone another timestamp still means one tone, when they are this close. */
const sameToneMs = 60
/** What comes later than this is not late: the other end counts anew. */
const mostLateMs = 5_000

/** Reports each pressed key once, however many packets (RFC 4733) carry it. */
export class ToneReader {
  readonly #sameTone: number
  readonly #mostLate: number
  #last: { digit: string; timestamp: number; isOver: boolean } | undefined

  constructor(clockRate: number) {
    this.#sameTone = (sameToneMs * clockRate) / 1000
    this.#mostLate = (mostLateMs * clockRate) / 1000
  }

  /** The digit, when this packet is the first to say it. */
  read(timestamp: number, payload: Uint8Array): string | undefined {
    const [event, flags] = payload
    const digit = keypad[event ?? keypad.length]
    if (digit === undefined || flags === undefined || payload.length < 4) return undefined
    const isOver = (flags & 0x80) !== 0
    const last = this.#last
    const since = last ? (timestamp - last.timestamp) | 0 : 1
    if (last && since <= 0 && since > -this.#mostLate) {
      if (since === 0 && isOver) last.isOver = true
      return undefined
    }
    const isSame = last?.digit === digit && !last.isOver && since > 0 && since <= this.#sameTone
    this.#last = { digit, timestamp, isOver }
    return isSame ? undefined : digit
  }
}

interface Pressed {
  digit: string
  frame: number
  /** When the tone began, by the packets' clock. */
  beganAt: number
  isSent: () => void
}

/** What goes out instead of the voice while keys are pressed. */
export type ToneFrame =
  | { kind: 'event'; isFirst: boolean; beganAt: number; payload: Uint8Array }
  | { kind: 'samples'; samples: Int16Array }

/** Presses keys one after the other: as telephone events, or audibly if the other end knows none. */
export class ToneSender {
  readonly #sampleRate: number
  readonly #pressed: Pressed[] = []

  constructor(sampleRate: number) {
    this.#sampleRate = sampleRate
  }

  async send(wanted: string): Promise<void> {
    const sent = keysIn(wanted).map(
      (digit) => new Promise<void>((isSent) => this.#pressed.push({ digit, frame: 0, beganAt: 0, isSent })),
    )
    await Promise.all(sent)
  }

  /** The next frame, audible if events have no clock; undefined when no key is pressed. */
  next(timestamp: number, clockRate: number | null): ToneFrame | undefined {
    const tone = this.#pressed[0]
    if (!tone) return undefined
    const { frame, digit } = tone
    if (frame === 0) tone.beganAt = timestamp
    tone.frame += 1
    if (frame >= toneFrames + endFrames + pauseFrames - 1) {
      this.#pressed.shift()
      tone.isSent()
    }
    if (clockRate === null || frame >= toneFrames + endFrames)
      return { kind: 'samples', samples: this.#samples(digit, frame) }
    const payload = eventOf(digit, frame, clockRate)
    return { kind: 'event', isFirst: frame === 0, beganAt: tone.beganAt, payload }
  }

  end(): void {
    for (const { isSent } of this.#pressed.splice(0)) isSent()
  }

  #samples(digit: string, frame: number): Int16Array {
    const length = (this.#sampleRate * frameMs) / 1000
    const samples = new Int16Array(length)
    if (frame >= toneFrames) return samples
    const [low, high] = frequenciesOf(digit)
    const turn = (hz: number, at: number) => Math.sin((2 * Math.PI * hz * at) / this.#sampleRate)
    for (let at = 0; at < length; at += 1) {
      const position = frame * length + at
      samples[at] = 6000 * (turn(low, position) + turn(high, position))
    }
    return samples
  }
}

function eventOf(digit: string, frame: number, clockRate: number): Uint8Array {
  const duration = (Math.min(frame + 1, toneFrames) * frameMs * clockRate) / 1000
  const end = frame >= toneFrames ? 0x80 : 0
  return Uint8Array.of(keypad.indexOf(digit), end | volume, duration >> 8, duration & 0xff)
}
