import { isPersonSaying, machineSaying, type MachineKind } from './machine-words.ts'
import { SteadyTone } from './steady-tone.ts'

export interface Verdict {
  by: 'person' | 'machine' | 'unknown'
  kind?: MachineKind
}

/** As sure as a window of sound must be of a voice to begin an utterance, and to continue one. */
const [beginsAt, continuesAt] = [0.5, 0.35]
/** A shorter sound is a click or a breath. */
const shortestMs = 130
/** A pause this long after a short utterance: a person waits for an answer. */
const pauseMs = 700
/** Pauses within the sentences of an announcement are shorter than this. */
const breathMs = 450
/** A person says hello in less; an announcement continues. */
const longHelloMs = 1_900
/** If time is up while the far end speaks, this much without a pause is an announcement. */
const likelyMachineMs = 1_300
/** The tones of fax machines, and how long each is heard before it is believed. */
const faxTones = [
  { hz: 1_100, withinHz: 40, ms: 350 },
  { hz: 2_100, withinHz: 30, ms: 450 },
]
const beepHz = [400, 2_000] as const
const beepMs = 160

/** Tells who answered from how the call sounds and what is said, as it comes. Times are those of the sound. */
export class AnswerClassifier {
  readonly #tone: SteadyTone
  /** Of the utterance that is heard now, from its first window to its last; 0 before the first. */
  #utteranceMs = 0
  #silenceMs = 0
  #isOneBreath = true
  #byWords: Verdict | null = null
  #hasBeeped = false

  constructor(sampleRate: number) {
    this.#tone = new SteadyTone(sampleRate)
  }

  /** How long nothing has been said. */
  get silenceMs(): number {
    return this.#silenceMs
  }

  /** Whether a beep has sounded and is over. */
  get hasBeeped(): boolean {
    return this.#hasBeeped
  }

  /** Every sample that is heard. */
  add(samples: Int16Array) {
    this.#tone.add(samples)
    const { last, now } = this.#tone
    if (last && isBeep(last) && !now) this.#hasBeeped = true
  }

  /** How surely a window of the sound is a voice. */
  window(probability: number, ms: number) {
    const isVoice = probability >= (this.#utteranceMs > 0 && this.#silenceMs === 0 ? continuesAt : beginsAt)
    if (!isVoice || this.#tone.now) {
      this.#silenceMs += ms
      if (this.#utteranceMs < shortestMs && this.#silenceMs > breathMs) this.#utteranceMs = 0
      return
    }
    if (this.#utteranceMs > 0 && this.#silenceMs > breathMs) this.#isOneBreath = false
    this.#utteranceMs += ms + (this.#utteranceMs > 0 ? this.#silenceMs : 0)
    this.#silenceMs = 0
  }

  /** What has been said so far. */
  say(words: string) {
    const kind = machineSaying(words)
    if (kind) this.#byWords = { by: 'machine', kind }
    else this.#byWords = isPersonSaying(words) ? { by: 'person' } : null
  }

  /** Null while it may be anybody. */
  verdict(): Verdict | null {
    const { now, last } = this.#tone
    if ([now, last].some((tone) => tone && isFax(tone))) return { by: 'machine', kind: 'fax' }
    if (this.#byWords) return this.#byWords
    if (this.#hasBeeped && this.#utteranceMs > shortestMs) return { by: 'machine', kind: 'voicemail' }
    if (this.#utteranceMs >= longHelloMs && this.#silenceMs < pauseMs)
      return this.#isOneBreath ? { by: 'machine', kind: 'voicemail' } : null
    return this.#hasSpoken && this.#silenceMs >= pauseMs ? { by: 'person' } : null
  }

  /** What the words alone tell; null if they may be anybody's. */
  get byWords(): Verdict | null {
    return this.#byWords
  }

  /** The best guess when time is up. */
  guess(): Verdict {
    const verdict = this.verdict()
    if (verdict) return verdict
    if (!this.#hasSpoken) return { by: 'unknown' }
    if (this.#utteranceMs >= likelyMachineMs && this.#silenceMs < breathMs)
      return { by: 'machine', kind: 'voicemail' }
    return this.#silenceMs > 0 ? { by: 'person' } : { by: 'unknown' }
  }

  get #hasSpoken(): boolean {
    return this.#utteranceMs >= shortestMs
  }
}

const isFax = (tone: { hz: number; ms: number }) =>
  faxTones.some(({ hz, withinHz, ms }) => Math.abs(tone.hz - hz) <= withinHz && tone.ms >= ms)

const isBeep = ({ hz, ms }: { hz: number; ms: number }) => hz >= beepHz[0] && hz <= beepHz[1] && ms >= beepMs
