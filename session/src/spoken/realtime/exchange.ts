import type { NewEntry } from '@switchroom/contract/log'
import { messagesOf } from '../../history.ts'
import { recentOf } from '../../recent.ts'
import { vendorsDown } from '../../vendors-down.ts'
import { turnsOn, type Exchange, type ExchangeAround } from '../exchange.ts'
import { RealtimeAnswers } from './answers.ts'
import { RealtimeConversation } from './conversation.ts'
import { Endpointing } from './endpointing.ts'
import { RealtimeTurns } from './turns.ts'
import type { RealtimeRun, SpokenParts } from '../spoken-parts.ts'
import type { VoiceActivity } from '../voice-activity.ts'

/** One model hears, thinks and speaks. */
export class RealtimeExchange implements Exchange {
  readonly #around: ExchangeAround
  readonly #turns: RealtimeTurns
  readonly #endpointing = new Endpointing((state) => this.#conversation.speech(state))
  readonly #down: Set<string>
  #parts: SpokenParts
  #conversation: RealtimeConversation
  #answers: RealtimeAnswers
  #isStarted = false
  #isOver = false

  constructor(parts: SpokenParts, first: RealtimeRun, around: ExchangeAround) {
    const { callId, newMessageId, nowMs, config } = parts
    const { log, replies } = around
    this.#parts = parts
    this.#around = around
    this.#down = vendorsDown(log.entries)
    this.#turns = new RealtimeTurns({
      callId,
      turn: config.turn ?? {},
      ...turnsOn(around, () => this.#turns.continued()),
      keep: (entries) => log.write(entries),
      show: (entries) => this.#parts.show(entries),
      newMessageId,
      nowMs,
      turnEnded: (timings) => {
        replies().answer(timings)
        around.onSilence()
      },
    })
    this.#conversation = this.#conversing(first)
    this.#answers = this.#answering()
  }

  get realtime(): RealtimeAnswers {
    return this.#answers
  }

  get isSpeaking(): boolean {
    return this.#turns.isSpeaking
  }

  start() {
    this.#isStarted = true
    this.#conversation.start()
  }

  async stop() {
    this.#isOver = true
    this.#turns.close()
    this.#endpointing.close()
    await this.#conversation.close()
  }

  hear(samples: Int16Array) {
    this.#conversation.add(samples)
  }

  notice({ type, isSpeaking, spokenMs, silenceMs }: VoiceActivity) {
    if (type === 'started') {
      this.#turns.speechStarted(spokenMs)
      this.#endpointing.started()
    } else if (type === 'ended') {
      this.#turns.speechEnded(silenceMs)
      this.#endpointing.ended(silenceMs, this.#parts.config.turn ?? {})
    } else if (isSpeaking) this.#turns.speechGoesOn(spokenMs)
  }

  /** What a realtime model hears is in the tokens of its answers. */
  metrics(): NewEntry[] {
    return []
  }

  use(parts: SpokenParts): boolean {
    const [first] = parts.realtime
    if (!first) return false
    this.#parts = parts
    void this.#conversation.close()
    this.#conversation = this.#conversing(first)
    this.#answers = this.#answering()
    this.#turns.use({ turn: parts.config.turn ?? {} })
    if (this.#isStarted) this.#conversation.start()
    return true
  }

  inOrder(act: () => void) {
    this.#turns.inOrder(act)
  }

  #conversing(first: RealtimeRun): RealtimeConversation {
    const { realtime, sound, nowMs } = this.#parts
    const { log, end } = this.#around
    const parts = {
      runs: realtime,
      sampleRate: sound.sampleRate,
      down: this.#down,
      history: () => recentOf(messagesOf(log.entries)),
      isSpeaking: () => this.#endpointing.isSpeaking,
      keep: (entries: readonly NewEntry[]) => log.write(entries),
      heard: (told: Parameters<RealtimeTurns['heard']>[0]) => {
        if (this.#conversation === conversation && !this.#isOver) this.#turns.heard(told)
      },
      lost: (vendor: string, why: unknown) => {
        const detail = why instanceof Error ? why.message : String(why)
        log.write([{ type: 'error', data: { code: 'llm_failed', detail, vendor } }])
        end('failed')
      },
      nowMs,
    }
    const conversation = new RealtimeConversation(parts, first)
    return conversation
  }

  #answering(): RealtimeAnswers {
    const { sound, realtime, instructions } = this.#parts
    return new RealtimeAnswers({
      conversation: this.#conversation,
      sampleRate: sound.sampleRate,
      // a silent model leaves enough time for the next
      patienceMs: realtime.length > 1 ? instructions.llmTimeoutMs / realtime.length : null,
      said: instructions.lexicon.said,
      awaited: () => this.#turns.awaited,
    })
  }
}
