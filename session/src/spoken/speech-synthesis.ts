import { silent } from '@switchroom/kit/failures'
import { abandon, untilAborted } from '@switchroom/kit/until-aborted'
import type { NewEntry } from '@switchroom/contract/log'
import type { Spoken } from '@switchroom/kit/vendor'
import { startSpan, typeOf } from '@switchroom/telemetry/tracing'
import { Deadline } from '../deadline.ts'
import { switches, vendorsDown } from '../vendors-down.ts'
import { voiceSpan } from '../vendor-spans.ts'
import type { CallLog } from './call-log.ts'
import { SpeechResampler } from './speech-resampler.ts'
import type { SpokenParts, VoiceRun } from './spoken-parts.ts'
import type { SaidText } from './said-text.ts'
import type { WordClock } from './word-clock.ts'

/** How long a voice may say nothing. */
const patienceMs = 8_000
/** A voice that failed is left alone for so long, while another serves. */
const restMs = 30_000

/** What one voice said of one message. */
export interface Spent {
  run: VoiceRun
  characters: number
  firstAudioMs: number | null
  totalMs: number
}

export interface SpeechSynthesisParts {
  voices: readonly VoiceRun[]
  sampleRate: number
  down: Set<string>
  keep: (entries: readonly NewEntry[]) => void
  nowMs: () => number
}

/** Says texts with one voice after the other, as long as one can. */
export class SpeechSynthesis {
  readonly #parts: SpeechSynthesisParts
  readonly #restsUntil = new Map<VoiceRun, number>()

  constructor(parts: SpeechSynthesisParts) {
    this.#parts = parts
  }

  /** The samples of a text, whose words are placed on the clock; throws what the last voice failed with. */
  async *say(
    text: string,
    saying: (text: string) => SaidText,
    clock: WordClock,
    spent: Spent[],
    signal: AbortSignal,
  ): AsyncIterable<Int16Array> {
    let rest = text
    let failure: unknown
    const failed: string[] = []
    for (const run of this.#inOrder()) {
      const said = saying(rest)
      clock.begin(rest, said)
      if (said.text.trim() === '') return
      let isFirst = true
      try {
        for await (const samples of this.#attempt(run, said.text.trim(), clock, spent, signal)) {
          if (isFirst) this.#serves(run, failed)
          isFirst = false
          yield samples
        }
        clock.finish()
        return
      } catch (error) {
        signal.throwIfAborted()
        failure = error
        failed.push(run.vendor)
        this.#restsUntil.set(run, this.#parts.nowMs() + restMs)
        rest = clock.cut()
        if (rest === '') return
      }
    }
    throw failure ?? silent('there is no voice')
  }

  #inOrder(): VoiceRun[] {
    const now = this.#parts.nowMs()
    const rests = (run: VoiceRun) => Number((this.#restsUntil.get(run) ?? 0) > now)
    return this.#parts.voices.toSorted((a, b) => rests(a) - rests(b))
  }

  #serves(run: VoiceRun, failed: readonly string[]) {
    this.#restsUntil.delete(run)
    const entries = switches(this.#parts.down, failed, run.vendor, 'tts')
    if (entries.length > 0) this.#parts.keep(entries)
  }

  async *#attempt(
    run: VoiceRun,
    text: string,
    clock: WordClock,
    spent: Spent[],
    signal: AbortSignal,
  ): AsyncIterable<Int16Array> {
    const { sampleRate, nowMs } = this.#parts
    using deadline = new Deadline(patienceMs)
    const resampling = new SpeechResampler(run.voice.sampleRate, sampleRate)
    const stop = AbortSignal.any([signal, deadline.signal])
    const startedMs = nowMs()
    const spending: Spent = { run, characters: text.length, firstAudioMs: null, totalMs: 0 }
    spent.push(spending)
    let nth = 0
    let audioMs = 0
    const { name, ...options } = voiceSpan(run)
    const span = startSpan(name, options)
    const nextOf = (of: AsyncIterator<Spoken>) => (span ? span.run(() => of.next()) : of.next())
    let iterator: AsyncIterator<Spoken> | undefined
    const heard = (samples: Int16Array) => {
      const ms = (samples.length / sampleRate) * 1_000
      audioMs += ms
      clock.addAudio(ms)
      return samples
    }
    try {
      iterator = run.voice.speak(text, stop)[Symbol.asyncIterator]()
      for (;;) {
        const { done, value: spoken } = await untilAborted(nextOf(iterator), stop)
        if (done) break
        if (spoken.type === 'word') clock.place(nth++, spoken.start * 1_000)
        else {
          spending.firstAudioMs ??= nowMs() - startedMs
          deadline.stop()
          for (const samples of resampling.take(spoken.pcm)) yield heard(samples)
        }
        deadline.start(patienceMs)
      }
      for (const samples of resampling.rest()) yield heard(samples)
      if (audioMs === 0) throw silent('it said nothing at all')
    } catch (error) {
      if (!signal.aborted) span?.fail(typeOf(error))
      throw deadline.isOver && !signal.aborted ? silent('it said nothing for too long') : error
    } finally {
      spending.totalMs = nowMs() - startedMs
      span?.set({ 'switchroom.first_audio_ms': spending.firstAudioMs ?? undefined })
      span?.end()
      abandon(iterator)
    }
  }
}

/** With the voices of the call's current agent; vendors that are down by its log start as down. */
export function synthesisFor(log: CallLog, { voices, sound, nowMs }: SpokenParts): SpeechSynthesis {
  const keep = (entries: readonly NewEntry[]) => log.write(entries)
  const down = vendorsDown(log.entries, 'tts')
  return new SpeechSynthesis({ voices, sampleRate: sound.sampleRate, down, keep, nowMs })
}
