import { setTimeout as sleep } from 'node:timers/promises'
import type { NewEntry } from '@switchroom/contract/log'
import { silent } from '@switchroom/kit/failures'
import { untilAborted } from '@switchroom/kit/until-aborted'
import type { Heard } from '@switchroom/kit/vendor'
import { activePlace, runForVendor } from '@switchroom/telemetry/tracing'
import { wavOf } from '@switchroom/audio/wav'
import { switches } from '../vendors-down.ts'
import { AudioQueue } from './audio-queue.ts'
import { FrameGathering } from './frame-gathering.ts'
import type { TranscriberRun } from './spoken-parts.ts'
import { inRounds } from './vendor-rounds.ts'

const readyMs = 10_000
const transcribeMs = 15_000
/** Transcribers that take only whole utterances get so much of one that does not end, and then the next piece of it. */
const longestS = 25
/** An utterance that no transcriber took is tried again after these pauses. */
const againMs = [0, 300, 1_000]

export interface TranscriptionParts {
  transcribers: readonly TranscriberRun[]
  sampleRate: number
  down: Set<string>
  keep: (entries: readonly NewEntry[]) => void
  heard: (heard: Exclude<Heard, { type: 'ready' }>) => void
  /** No transcribers hear any more. */
  deaf: (vendor: string, why: unknown) => void
}

/** Listens with one vendor's transcribers, and with the next one's if they fail. */
export class Transcription {
  readonly #parts: TranscriptionParts
  readonly #audio: AudioQueue<'finalize'>
  readonly #gathering: FrameGathering
  readonly #stop = new AbortController()
  #run: TranscriberRun | null = null
  #broken: ((error: unknown) => void) | null = null
  /** Whole utterances are reported in the order in which they were said. */
  #transcribed: Promise<void> = Promise.resolve()
  #stretch: Int16Array[] = []
  #stretchSamples = 0
  #serving: (() => void) | null = null
  /** Of the party's speech, since it was last asked. */
  #heardS = 0
  /** Of the call. What is heard comes in events of its sound, which run elsewhere. */
  readonly #place = activePlace()

  constructor(parts: TranscriptionParts) {
    this.#parts = parts
    this.#audio = new AudioQueue(parts.sampleRate)
    this.#gathering = new FrameGathering(parts.sampleRate, (samples) => this.#audio.add(samples))
  }

  start() {
    runForVendor(this.#place, () => void this.#listen())
  }

  stop() {
    this.#stop.abort()
    this.#audio.end()
  }

  add(samples: Int16Array) {
    this.#heardS += samples.length / this.#parts.sampleRate
    if (this.#run?.transcriber.listen || !this.#run) this.#gathering.add(samples)
  }

  voiceStarted() {
    this.#gathering.voiceStarted()
  }

  voiceEnded() {
    this.#gathering.voiceEnded()
  }

  /** The voice that is heard now begins with these samples, or continues with them. Their buffer may be used again. */
  speech(samples: Int16Array) {
    if (!this.#run || this.#run.transcriber.listen) return
    this.#stretch.push(samples.slice())
    this.#stretchSamples += samples.length
    if (this.#stretchSamples >= longestS * this.#parts.sampleRate) this.#endStretch()
  }

  speechEnded() {
    if (this.#run?.transcriber.listen) this.#audio.ask('finalize')
    this.#endStretch()
  }

  #endStretch() {
    const samples = Buffer.concat(this.#stretch.map(bytesOf))
    this.#stretch = []
    this.#stretchSamples = 0
    if (samples.length > 0) this.#transcribed = this.#transcribed.then(() => this.#transcribe(samples))
  }

  /** What the transcribers heard since it was last asked, as it is priced. */
  metrics(): NewEntry[] {
    const run = this.#run
    const audio_s = Math.round(this.#heardS * 1_000) / 1_000
    this.#heardS = 0
    if (!run || audio_s === 0) return []
    const { vendor, model, key } = run
    return [{ type: 'metrics', data: { stage: 'stt', vendor, model, key, audio_s } }]
  }

  async #listen() {
    const { transcribers, deaf } = this.#parts
    const rounds = {
      runs: transcribers,
      attempt: (run: TranscriberRun, serves: () => void) => this.#listenWith(run, serves),
      served: (run: TranscriberRun, failed: readonly string[]) => this.#serves(run, failed),
    }
    const failure = await inRounds(rounds, this.#stop.signal)
    if (!this.#stop.signal.aborted) deaf(transcribers[0]?.vendor ?? '', failure)
  }

  async #listenWith(run: TranscriberRun, serves: () => void) {
    this.#run = run
    if (!run.transcriber.listen) {
      this.#serving = serves
      await this.#untilBroken()
      return
    }
    using over = new ListenAttempt(this.#stop.signal)
    const audio = this.#audio.read(over.signal)
    const unready = setTimeout(() => over.fail(silent('it did not begin to listen')), readyMs)
    try {
      for await (const heard of run.transcriber.listen(audio, this.#parts.sampleRate, over.signal)) {
        clearTimeout(unready)
        if (heard.type === 'ready') serves()
        else this.#parts.heard(heard)
      }
    } finally {
      clearTimeout(unready)
    }
  }

  /** With transcribers that hear only whole utterances there is nothing to do but wait for the first they do not hear. */
  async #untilBroken() {
    const { promise, reject } = Promise.withResolvers<never>()
    const { signal } = this.#stop
    this.#broken = reject
    await untilAborted(promise, signal)
  }

  async #transcribe(pcm: Buffer) {
    const recording = { bytes: wavOf(pcm, this.#parts.sampleRate), mediaType: 'audio/wav' }
    const { signal } = this.#stop
    for (const pauseMs of againMs) {
      const transcriber = this.#run?.transcriber
      if (signal.aborted) return
      if (transcriber?.listen) return this.#audio.add(new Int16Array(new Uint8Array(pcm).buffer))
      try {
        const patience = AbortSignal.any([signal, AbortSignal.timeout(transcribeMs)])
        const transcript = await runForVendor(this.#place, () =>
          transcriber?.transcribe?.(recording, patience),
        )
        this.#serving?.()
        this.#parts.heard({ type: 'final', text: transcript?.text.trim() ?? '' })
        return
      } catch (error) {
        this.#broken?.(error)
        await sleep(pauseMs, undefined, { signal }).catch(() => {})
      }
    }
  }

  #serves({ vendor }: TranscriberRun, failed: readonly string[]) {
    const entries = switches(this.#parts.down, failed, vendor, 'stt')
    if (entries.length > 0) this.#parts.keep(entries)
  }
}

/** One stretch of listening, which may fail from outside. */
export class ListenAttempt implements Disposable {
  readonly #controller = new AbortController()
  readonly #outer: AbortSignal
  readonly #follow = () => this.#controller.abort(this.#outer.reason)

  constructor(outer: AbortSignal) {
    this.#outer = outer
    outer.addEventListener('abort', this.#follow, { once: true })
    if (outer.aborted) this.#follow()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  fail(error: unknown) {
    this.#controller.abort(error)
  }

  [Symbol.dispose]() {
    this.#outer.removeEventListener('abort', this.#follow)
    this.#controller.abort()
  }
}

const bytesOf = (samples: Int16Array) =>
  new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
