import native from '@livekit/local-inference'
import { Resampler } from '@switchroom/audio/resampler'
import { quickResampling } from '@switchroom/audio/resampling-filter'

/** Of the model, Silero's: it judges windows of 32 ms. */
const modelRate = 16_000
export const windowMs = (native.VAD_WINDOW_SAMPLES / modelRate) * 1_000

/** As likely as this somebody speaks, and below the other one who spoke does no longer. */
const voiceLikely = 0.5
const voiceUnlikely = 0.35
/** So much of a voice is somebody who speaks, and so much silence after it is a pause. */
const leastSpeechMs = 50
const leastSilenceMs = 250
/** What was heard before a voice was noticed, in windows: its first sound is in it. */
const windowsBefore = 18
/** In sound below this level (−70 dB) the model hears no voice. */
const quietLevel = 10
/** After so many quiet windows the model has nothing more to forget, and is not asked about the next one. */
const settledWindows = 10
/** More frames than these, ten seconds, wait only in a process that is lost. */
const mostWaiting = 500

/** What the voice detection says of a window of sound, or of the stretch of speech that began or ended with it. */
export interface VoiceActivity {
  type: 'window' | 'started' | 'ended'
  /** Where the window ends in what was heard so far. */
  atMs: number
  probability: number
  /** Whether somebody was speaking before this window. */
  isSpeaking: boolean
  /** How long the stretch of speech is, without the silence at its end. */
  spokenMs: number
  /** Of an end: how long it was silent before it was noticed. */
  silenceMs: number
  /** Of the window; of a start, all that led to it. */
  samples: Int16Array
}

export interface VoiceDetectionParts {
  sampleRate: number
  /** Each frame once those before it were judged. */
  frame: (samples: Int16Array) => void
  activity: (activity: VoiceActivity) => void
  failed: (error: unknown) => void
}

/** Tells voice from anything else in what a party says, frame by frame. */
export class VoiceDetection {
  readonly #parts: VoiceDetectionParts
  readonly #model = native.createVad()
  readonly #resampler: Resampler
  readonly #windowSamples: number
  #window: Int16Array
  #filled = 0
  readonly #before: Int16Array[] = []
  readonly #waiting: Int16Array[] = []
  #isBusy = false
  #isOver = false
  #quietWindows = 0
  #atMs = 0
  #isSpeaking = false
  #speechMs = 0
  /** Of windows in a row with a voice, and without one. */
  #voiceMs = 0
  #silenceMs = 0

  constructor(parts: VoiceDetectionParts) {
    const { sampleRate } = parts
    this.#parts = parts
    this.#resampler = new Resampler(sampleRate, modelRate, { quality: quickResampling, keepsPace: true })
    this.#windowSamples = (sampleRate * windowMs) / 1_000
    this.#window = new Int16Array(this.#windowSamples)
  }

  take(samples: Int16Array) {
    this.#waiting.push(samples)
    if (this.#waiting.length > mostWaiting) this.#waiting.shift()
    if (!this.#isBusy) void this.#work()
  }

  close() {
    this.#isOver = true
    this.#waiting.length = 0
  }

  async #work() {
    this.#isBusy = true
    try {
      for (let frame = this.#next(); frame; frame = this.#next()) {
        this.#parts.frame(frame)
        for (let at = 0; at < frame.length;) {
          at += this.#fill(frame.subarray(at))
          if (this.#filled < this.#windowSamples) break
          const window = this.#window
          this.#window = new Int16Array(this.#windowSamples)
          this.#filled = 0
          const probability = this.#isAsked(window) ? await this.#judge(window) : 0
          if (this.#isOver) return
          this.#notice(window, probability)
        }
      }
    } catch (error) {
      if (!this.#isOver) this.#parts.failed(error)
    } finally {
      this.#isBusy = false
    }
  }

  #next(): Int16Array | undefined {
    return this.#isOver ? undefined : this.#waiting.shift()
  }

  #fill(samples: Int16Array): number {
    const taken = samples.subarray(0, this.#windowSamples - this.#filled)
    this.#window.set(taken, this.#filled)
    this.#filled += taken.length
    return taken.length
  }

  /** Most of a call somebody listens, on many lines without any sound: the model costs more than all else. */
  #isAsked(window: Int16Array): boolean {
    this.#quietWindows = isQuiet(window) ? this.#quietWindows + 1 : 0
    return this.#isSpeaking || this.#quietWindows <= settledWindows
  }

  #judge(window: Int16Array): Promise<number> {
    return this.#model.predict(this.#resampler.take(window))
  }

  #notice(window: Int16Array, probability: number) {
    this.#atMs += windowMs
    if (this.#isSpeaking) this.#speechMs += windowMs
    this.#before.push(window)
    if (this.#before.length > windowsBefore) this.#before.shift()
    this.#tell('window', probability, window)
    const isVoice = probability >= (this.#isSpeaking ? voiceUnlikely : voiceLikely)
    this.#voiceMs = isVoice ? this.#voiceMs + windowMs : 0
    this.#silenceMs = isVoice ? 0 : this.#silenceMs + windowMs
    if (!this.#isSpeaking && this.#voiceMs >= leastSpeechMs) {
      this.#isSpeaking = true
      this.#speechMs = this.#voiceMs
      this.#tell('started', probability, joined(this.#before))
    } else if (this.#isSpeaking && this.#silenceMs >= leastSilenceMs) {
      this.#tell('ended', probability, window)
      this.#isSpeaking = false
      this.#speechMs = 0
    }
  }

  #tell(type: VoiceActivity['type'], probability: number, samples: Int16Array) {
    this.#parts.activity({
      type,
      atMs: this.#atMs,
      probability,
      isSpeaking: this.#isSpeaking,
      spokenMs: this.#isSpeaking ? this.#speechMs - this.#silenceMs : 0,
      silenceMs: this.#silenceMs,
      samples,
    })
  }
}

function isQuiet(samples: Int16Array): boolean {
  const most = quietLevel ** 2 * samples.length
  let energy = 0
  for (let at = 0; at < samples.length; at += 1) {
    const sample = samples[at] as number // within its length
    energy += sample * sample
    if (energy >= most) return false
  }
  return true
}

function joined(pieces: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(pieces.reduce((length, piece) => length + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
