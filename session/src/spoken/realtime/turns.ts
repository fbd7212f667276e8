import type { NewEntry } from '@switchroom/contract/log'
import type { Turn as TurnKnobs } from '@switchroom/contract/settings'
import type { ToldOfTurn } from './conversation.ts'
import { transcriptMs, turnDefaults, type TurnTimings } from '../turn-detection.ts'

export interface RealtimeTurnsParts {
  callId: string
  turn: TurnKnobs
  keep: (entries: readonly NewEntry[]) => void
  show: (entries: readonly NewEntry[]) => void
  newMessageId: () => string
  nowMs: () => number
  interrupted: (leastMs: number) => void
  onActivity: () => void
  nothingSaid: () => void
  turnEnding: () => void
  turnEnded: (timings: TurnTimings) => void
}

/** A turn that is over, and whose words are not known yet. */
interface Unworded {
  turn: string
  messageId: string
  timings: TurnTimings
  late: NodeJS.Timeout
}

/**
 * Who speaks when, with a model that hears for itself: it says when a turn is over, and what was said comes
 * later. Whatever follows from the turn is logged after its words, unless they take too long.
 */
export class RealtimeTurns {
  #parts: RealtimeTurnsParts
  #isSpeaking = false
  #speechEndedMs: number | null = null
  /** Whether the model noticed what was last spoken. */
  #isNoticed = false
  #unnoticed: NodeJS.Timeout | undefined
  #unworded: Unworded[] = []
  #after: (() => void)[] = []

  constructor(parts: RealtimeTurnsParts) {
    this.#parts = parts
  }

  get isSpeaking(): boolean {
    return this.#isSpeaking
  }

  /** The id that the newest turn will be known by, if its words are still missing. */
  get awaited(): string | null {
    return this.#unworded.at(-1)?.messageId ?? null
  }

  use(knobs: Pick<RealtimeTurnsParts, 'turn'>) {
    this.#parts = { ...this.#parts, ...knobs }
  }

  close() {
    clearTimeout(this.#unnoticed)
    for (const { late } of this.#unworded.splice(0)) clearTimeout(late)
    this.#flush()
  }

  /** Done at once, or after the words of the turn before it. */
  inOrder(act: () => void) {
    if (this.#unworded.length > 0) this.#after.push(act)
    else act()
  }

  speechStarted(spokenMs: number) {
    clearTimeout(this.#unnoticed)
    this.#isSpeaking = true
    this.#show('speech.started', { at: Math.round(Date.now() - spokenMs) })
    this.#parts.onActivity()
  }

  /** Its words are not known before it ends: how long it lasts decides alone. */
  speechGoesOn(spokenMs: number) {
    const { min_interruption_ms = turnDefaults.min_interruption_ms } = this.#parts.turn
    if (this.#isSpeaking && spokenMs >= min_interruption_ms) this.#parts.interrupted(min_interruption_ms)
  }

  speechEnded(silenceMs: number) {
    if (!this.#isSpeaking) return
    this.#isSpeaking = false
    this.#speechEndedMs = this.#parts.nowMs() - silenceMs
    this.#show('speech.ended', { at: Math.round(Date.now() - silenceMs) })
    if (!this.#isNoticed)
      this.#unnoticed = setTimeout(() => this.#isNoticed || this.#parts.nothingSaid(), transcriptMs)
    this.#isNoticed = false
  }

  heard(told: ToldOfTurn) {
    if (told.type === 'partial') this.#hearPartial(told.text.trim())
    else if (told.type === 'final') this.#hearFinal(told.turn, told.text?.trim() ?? '')
    else if (told.state === 'started') this.#isNoticed = true
    else this.#endTurn(told.turn)
  }

  /** After the turn its partial text is not shown any more. */
  #hearPartial(text: string) {
    if (text !== '' && this.#isSpeaking) this.#parts.show([{ type: 'user.speaking', data: { text } }])
  }

  #endTurn(turn: string) {
    const { newMessageId, nowMs, turnEnding, turnEnded } = this.#parts
    const turnEndedMs = nowMs()
    const speechEndedMs = this.#speechEndedMs ?? turnEndedMs
    const timings: TurnTimings = { speechEndedMs, transcriptMs: null, turnEndedMs }
    clearTimeout(this.#unnoticed)
    this.#isNoticed = false
    turnEnding()
    const late = setTimeout(() => this.#worded(turn), transcriptMs)
    this.#unworded.push({ turn, messageId: newMessageId(), timings, late })
    this.#speechEndedMs = null
    turnEnded(timings)
  }

  #hearFinal(turn: string, text: string) {
    const { keep, newMessageId, nowMs, turn: knobs } = this.#parts
    const unworded = this.#unworded.find((one) => one.turn === turn)
    if (unworded) unworded.timings.transcriptMs = nowMs()
    const messageId = unworded?.messageId ?? newMessageId()
    const probability = knobs.eot_threshold ?? turnDefaults.eot_threshold
    if (text !== '')
      keep([
        { type: 'user.message', data: { text, messageId } },
        { type: 'turn.end', data: { text, probability } },
      ])
    this.#worded(turn)
  }

  /** The words of a turn are known, or their wait is over. */
  #worded(turn: string) {
    for (const { late } of this.#unworded.filter((one) => one.turn === turn)) clearTimeout(late)
    this.#unworded = this.#unworded.filter((one) => one.turn !== turn)
    if (this.#unworded.length === 0) this.#flush()
  }

  #flush() {
    for (const act of this.#after.splice(0)) act()
  }

  /** The caller continues although their turn had seemed to be over. */
  continued() {
    const { callId, keep } = this.#parts
    this.inOrder(() => keep([{ type: 'turn.continued', data: { callId, at: Date.now(), text: '' } }]))
  }

  #show(type: string, data: Record<string, unknown>) {
    this.#parts.show([{ type, data: { callId: this.#parts.callId, ...data } }])
  }
}
