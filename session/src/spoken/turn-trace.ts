import { startSpan, type Span } from '@switchroom/telemetry/tracing'
import type { TurnTimings } from './turn-detection.ts'
import type { Utterance } from './utterance.ts'

/** The spans of one turn: from when the caller stopped speaking until the answer was played, and its stages. */
export class TurnTrace {
  readonly #span: Span | undefined

  /** Of an opening nobody is owed an answer. */
  constructor(owed: TurnTimings | null) {
    this.#span = owed ? startSpan('turn', { startMs: owed.speechEndedMs }) : startSpan('greeting')
    if (!owed) return
    this.#stage('end_of_turn', owed.speechEndedMs, owed.turnEndedMs)
    this.#stage('speech_to_text', owed.speechEndedMs, owed.transcriptMs)
  }

  run<T>(work: () => T): T {
    return this.#span ? this.#span.run(work) : work()
  }

  /** The voice's stage ends with the first sound that the caller hears. */
  end({ marks, signal, failure }: Pick<Utterance, 'marks' | 'signal' | 'failure'>): void {
    this.#stage('voice', marks.firstClauseMs, marks.heardMs ?? marks.firstAudioMs)
    this.#span?.set({ 'switchroom.interrupted': signal.aborted })
    if (failure !== null) this.#span?.fail('tts_failed')
    this.#span?.end()
  }

  #stage(name: string, startMs: number | null, endMs: number | null): void {
    if (!this.#span || startMs === null || endMs === null) return
    startSpan(name, { under: this.#span, startMs })?.end(Math.max(startMs, endMs))
  }
}
