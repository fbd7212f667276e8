import type { NewEntry } from '@switchroom/contract/log'
import { vendorsDown } from '../vendors-down.ts'
import { turnsOn, type Exchange, type ExchangeAround } from './exchange.ts'
import { Transcription } from './transcription.ts'
import { PauseJudge } from './pause-judge.ts'
import type { SpokenParts } from './spoken-parts.ts'
import { surenessIn } from './turn-model.ts'
import { TurnDetection } from './turn-detection.ts'
import type { VoiceActivity } from './voice-activity.ts'
import { VoiceSureness } from './voice-sureness.ts'

/** Transcribers hear, a model thinks and a voice speaks. */
export class StagedExchange implements Exchange {
  readonly realtime = null
  readonly #around: ExchangeAround
  readonly #turns: TurnDetection
  readonly #down: Set<string>
  #parts: SpokenParts
  #hearing: Transcription
  /** Null unless a model ends the turns. */
  #pauses: PauseJudge | null
  readonly #sureness = new VoiceSureness()
  #isStarted = false
  #isOver = false

  constructor(parts: SpokenParts, around: ExchangeAround) {
    const { callId, newMessageId, nowMs } = parts
    const { log, replies } = around
    const keep = (entries: readonly NewEntry[]) => log.write(entries)
    this.#parts = parts
    this.#around = around
    this.#down = vendorsDown(log.entries, 'stt')
    this.#turns = new TurnDetection({
      callId,
      ...knobsOf(parts),
      ...turnsOn(around, () => this.#turns.continued()),
      keep,
      show: (entries) => this.#parts.show(entries),
      newMessageId,
      nowMs,
      judge: async () => (await this.#pauses?.judge()) ?? null,
      pausing: (text) => replies().pausing(text),
      foreseen: (text) => replies().foresee(text),
      expected: (text) => replies().expect(text),
      turnEnded: (timings) => {
        keep(this.#hearing.metrics())
        replies().answer(timings)
        around.onSilence()
      },
    })
    this.#hearing = this.#listening()
    this.#pauses = this.#judging()
  }

  get isSpeaking(): boolean {
    return this.#turns.isSpeaking
  }

  start() {
    this.#isStarted = true
    this.#hearing.start()
  }

  async stop() {
    this.#isOver = true
    this.#turns.close()
    this.#hearing.stop()
  }

  hear(samples: Int16Array) {
    this.#hearing.add(samples)
  }

  notice(activity: VoiceActivity) {
    const { type, samples, isSpeaking, spokenMs, silenceMs } = activity
    this.#sureness.notice(activity)
    if (type === 'started') {
      this.#hearing.voiceStarted()
      this.#hearing.speech(samples)
      this.#turns.speechStarted(spokenMs)
    } else if (type === 'window') {
      this.#pauses?.add(samples)
      if (!isSpeaking) return
      this.#hearing.speech(samples)
      this.#turns.speechGoesOn(spokenMs, this.#sureness)
    } else {
      this.#hearing.voiceEnded()
      this.#turns.speechEnded(silenceMs)
      if (!this.#turns.endsByTranscriber) this.#hearing.speechEnded()
    }
  }

  metrics(): NewEntry[] {
    return this.#hearing.metrics()
  }

  use(parts: SpokenParts): boolean {
    if (parts.realtime.length > 0) return false
    this.#parts = parts
    this.#hearing.stop()
    this.#hearing = this.#listening()
    this.#pauses = this.#judging()
    this.#turns.use(knobsOf(parts))
    if (this.#isStarted) this.#hearing.start()
    return true
  }

  inOrder(act: () => void) {
    act() // a turn ends with its words
  }

  #listening(): Transcription {
    const { transcribers, sound } = this.#parts
    const { log, end } = this.#around
    const hearing: Transcription = new Transcription({
      transcribers,
      sampleRate: sound.sampleRate,
      down: this.#down,
      keep: (entries) => log.write(entries),
      heard: (heard) => {
        if (this.#hearing === hearing && !this.#isOver) this.#turns.heard(heard)
      },
      deaf: (vendor, why) => {
        const detail = why instanceof Error ? why.message : String(why)
        log.write([{ type: 'error', data: { code: 'stt_failed', detail, vendor } }])
        end('failed')
      },
    })
    return hearing
  }

  #judging(): PauseJudge | null {
    const { endOfTurn, sound } = this.#parts
    return endOfTurn === 'smart-turn' ? new PauseJudge(sound.sampleRate) : null
  }
}

const knobsOf = ({ config, endOfTurn, instructions }: SpokenParts) => ({
  turn: config.turn ?? {},
  endOfTurn,
  language: instructions.language,
  sureness: surenessIn(instructions.language),
})
