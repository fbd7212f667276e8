import { setTimeout as sleep } from 'node:timers/promises'
import type { NewEntry } from '@switchroom/contract/log'
import { silent } from '@switchroom/kit/failures'
import { untilAborted } from '@switchroom/kit/until-aborted'
import type { Heard } from '@switchroom/kit/vendor'
import { wavOf } from '@switchroom/kit/wav'
import { switches } from '../vendors-down.ts'
import { AudioQueue } from './audio-queue.ts'
import type { EarsRun } from './spoken-parts.ts'

/** After all ears failed they are asked again after these pauses; then the call cannot go on. */
const pausesMs = [200, 1_000, 3_000]
const readyMs = 10_000
const transcribeMs = 15_000

export interface HearingParts {
  ears: readonly EarsRun[]
  sampleRate: number
  down: Set<string>
  keep: (entries: readonly NewEntry[]) => void
  heard: (heard: Exclude<Heard, { type: 'ready' }>) => void
  /** No ears hear any more. */
  deaf: (vendor: string, why: unknown) => void
}

/** Listens with one vendor's ears, and with the next one's where they fail. */
export class Hearing {
  readonly #parts: HearingParts
  readonly #audio: AudioQueue
  readonly #stop = new AbortController()
  #run: EarsRun | null = null
  #broken: ((error: unknown) => void) | null = null
  /** Of the party's speech, since it was last asked. */
  #heardS = 0

  constructor(parts: HearingParts) {
    this.#parts = parts
    this.#audio = new AudioQueue(parts.sampleRate)
  }

  start() {
    void this.#listen()
  }

  stop() {
    this.#stop.abort()
    this.#audio.end()
  }

  add(samples: Int16Array) {
    this.#heardS += samples.length / this.#parts.sampleRate
    if (this.#run?.ears.listen || !this.#run) this.#audio.add(samples)
  }

  /** A stretch of speech is over, and this is all of it. */
  speechEnded(samples: Int16Array) {
    if (this.#run?.ears.listen) this.#audio.finalize()
    else if (this.#run) void this.#transcribe(samples)
  }

  /** What the ears heard since it was last asked, as it is priced. */
  metrics(): NewEntry[] {
    const run = this.#run
    const audio_s = Math.round(this.#heardS * 1_000) / 1_000
    this.#heardS = 0
    if (!run || audio_s === 0) return []
    const { vendor, model, key } = run
    return [{ type: 'metrics', data: { stage: 'stt', vendor, model, key, audio_s } }]
  }

  async #listen() {
    let failure: unknown = silent('there are no ears')
    let rounds = 0
    const failed: string[] = []
    while (!this.#stop.signal.aborted) {
      for (const run of this.#parts.ears) {
        try {
          await this.#listenWith(run, () => {
            this.#serves(run, failed.splice(0))
            rounds = 0
          })
          failure = silent('it stopped listening')
        } catch (error) {
          failure = error
        }
        if (this.#stop.signal.aborted) return
        failed.push(run.vendor)
      }
      const pauseMs = pausesMs[rounds++]
      if (pauseMs === undefined) return this.#parts.deaf(this.#parts.ears[0]?.vendor ?? '', failure)
      await sleep(pauseMs, undefined, { signal: this.#stop.signal }).catch(() => {})
    }
  }

  async #listenWith(run: EarsRun, serves: () => void) {
    this.#run = run
    if (!run.ears.listen) {
      serves()
      await this.#untilBroken()
      return
    }
    using over = new Listening(this.#stop.signal)
    const audio = this.#audio.read(over.signal)
    const unready = setTimeout(() => over.fail(silent('it did not begin to listen')), readyMs)
    try {
      for await (const heard of run.ears.listen(audio, this.#parts.sampleRate, over.signal)) {
        clearTimeout(unready)
        if (heard.type === 'ready') serves()
        else this.#parts.heard(heard)
      }
    } finally {
      clearTimeout(unready)
    }
  }

  /** With ears that hear only whole utterances there is nothing to do but wait for the first they do not hear. */
  async #untilBroken() {
    const { promise, reject } = Promise.withResolvers<never>()
    const { signal } = this.#stop
    this.#broken = reject
    await untilAborted(promise, signal)
  }

  async #transcribe(samples: Int16Array) {
    const run = this.#run
    const bytes = wavOf(
      new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength),
      this.#parts.sampleRate,
    )
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(transcribeMs)])
    try {
      const transcript = await run?.ears.transcribe?.({ bytes, mediaType: 'audio/wav' }, signal)
      const text = transcript?.text.trim() ?? ''
      this.#parts.heard({ type: 'final', text })
    } catch (error) {
      if (this.#stop.signal.aborted) return
      this.#broken?.(error)
      await this.#transcribeElsewhere(samples, run)
    }
  }

  /** What one vendor did not hear is not lost where another takes whole utterances too. */
  async #transcribeElsewhere(samples: Int16Array, failed: EarsRun | null) {
    await sleep(0)
    if (this.#run && this.#run !== failed && !this.#run.ears.listen) await this.#transcribe(samples)
    else if (this.#run?.ears.listen) this.#audio.add(samples)
  }

  #serves({ vendor }: EarsRun, failed: readonly string[]) {
    const entries = switches(this.#parts.down, failed, vendor, 'stt')
    if (entries.length > 0) this.#parts.keep(entries)
  }
}

/** One stretch of listening, which may fail from outside. */
class Listening implements Disposable {
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
