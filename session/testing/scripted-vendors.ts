import { untilAborted } from '@switchroom/kit/until-aborted'
import type {
  Transcriber,
  Heard,
  LiveAudio,
  Recording,
  Spoken,
  Transcript,
  Voice,
} from '@switchroom/kit/vendor'
import type { TranscriberRun, VoiceRun } from '../src/spoken/spoken-parts.ts'

const never = (signal: AbortSignal) => untilAborted(new Promise<never>(() => {}), signal)

/** Transcribers that hear what a test scripts, and the next of their utterances whenever they are asked to commit. */
export class ScriptedTranscriber implements TranscriberRun {
  readonly vendor: string
  readonly model = 'transcriber-1'
  readonly key = 'lent'
  readonly transcriber: Transcriber
  /** What is committed, one after the other. */
  utterances: string[] = []
  listened = 0
  heardBytes = 0
  #fails: Error | null = null
  #events: (Heard | Error)[] = []
  #wake: (() => void) | null = null

  constructor(vendor: string, ...utterances: string[]) {
    this.vendor = vendor
    this.utterances = utterances
    this.transcriber = { listen: (audio, _rate, signal) => this.#listen(audio, signal) }
  }

  /** From now on they fail before they listen, or listen again. */
  set broken(error: Error | null) {
    this.#fails = error
  }

  hears(...events: (Heard | Error)[]) {
    this.#events.push(...events)
    this.#wake?.()
  }

  async *#listen(audio: AsyncIterable<LiveAudio>, signal: AbortSignal): AsyncIterable<Heard> {
    this.listened += 1
    if (this.#fails) throw this.#fails
    yield { type: 'ready' }
    void this.#take(audio)
    for (;;) {
      const event = this.#events.shift()
      if (event instanceof Error) throw event
      if (event) yield event
      else await untilAborted(new Promise<void>((resolve) => (this.#wake = resolve)), signal)
    }
  }

  async #take(audio: AsyncIterable<LiveAudio>) {
    for await (const piece of audio) {
      if (piece !== 'finalize') this.heardBytes += piece.length
      else {
        const text = this.utterances.shift()
        if (text !== undefined) this.hears({ type: 'final', text })
      }
    }
  }
}

/** Transcribers that take only whole utterances. */
export class ScriptedBatchTranscriber implements TranscriberRun {
  readonly vendor: string
  readonly model = 'transcriber-2'
  readonly key = 'yours'
  readonly transcriber: Transcriber
  readonly recordings: Recording[] = []

  constructor(vendor: string, ...utterances: (string | Error)[]) {
    this.vendor = vendor
    this.transcriber = {
      transcribe: async (recording): Promise<Transcript> => {
        this.recordings.push(recording)
        const text = utterances.shift() ?? ''
        if (text instanceof Error) throw text
        return { text, language: null, duration: null, words: [], segments: [] }
      },
    }
  }
}

export interface VoiceDeed {
  fails?: Error
  /** Breaks off after so many words. */
  breaksAfter?: number
  isSilent?: boolean
}

/** A voice that takes so long for each word, and says when. */
export class ScriptedVoice implements VoiceRun {
  readonly vendor: string
  readonly model = 'voice-1'
  readonly key = 'lent'
  readonly voice: Voice
  readonly asked: string[] = []
  deed: VoiceDeed = {}
  wordMs = 100
  givesTimes = true

  constructor(vendor: string, rate = 16_000) {
    this.vendor = vendor
    this.voice = { sampleRate: rate, speak: (text, signal) => this.#speak(text, rate, signal) }
  }

  async *#speak(text: string, rate: number, signal: AbortSignal): AsyncIterable<Spoken> {
    this.asked.push(text)
    const { fails, breaksAfter = Infinity, isSilent } = this.deed
    if (fails) throw fails
    if (isSilent) await never(signal)
    const samples = Math.round((rate * this.wordMs) / 1_000)
    for (const [nth, word] of (text.match(/\S+/gu) ?? []).entries()) {
      if (nth >= breaksAfter) throw new Error('it broke off')
      const start = (nth * this.wordMs) / 1_000
      if (this.givesTimes) yield { type: 'word', word, start, end: start + this.wordMs / 1_000 }
      yield { type: 'audio', pcm: tone(samples, rate) }
    }
  }
}

function tone(samples: number, rate: number): Uint8Array {
  const wave = Int16Array.from(
    { length: samples },
    (_, at) => 6_000 * Math.sin((2 * Math.PI * 300 * at) / rate),
  )
  return new Uint8Array(wave.buffer)
}
