import { memberDefaults } from '@switchroom/contract/knobs'
import type { NewEntry } from '@switchroom/contract/log'
import type { EndOfTurn, Turn as TurnKnobs } from '@switchroom/contract/settings'
import type { Heard } from '@switchroom/kit/vendor'
import { isBackchannel } from './backchannel.ts'
import { ExpectedTurn } from './expected-turn.ts'
import { pauseAfter } from './pause-length.ts'
import { SpeakerPauses } from './speaker-pauses.ts'

export const turnDefaults = memberDefaults('turn')
/** How long the last words may take from the transcribers before what was heard in between is taken for them. */
export const transcriptMs = 2_000
/** A caller who is still heard so long after the transcriber ended the turn has begun another one. */
const stillSpeakingMs = 300

export interface TurnDetectionParts {
  callId: string
  turn: TurnKnobs
  endOfTurn: EndOfTurn
  /** Of the words, if known. */
  language: string | null
  keep: (entries: readonly NewEntry[]) => void
  show: (entries: readonly NewEntry[]) => void
  newMessageId: () => string
  nowMs: () => number
  /** By the sound of the stretch of speech that just ended: how likely it is that they are done; null if unknown. */
  judge: () => Promise<number | null>
  /** The likelihood from which on that is believed, if the settings do not say. */
  sureness: number
  /** The caller has spoken over the agent for long enough to interrupt it. */
  interrupted: (leastMs: number) => void
  /** Whether the caller hears the agent, or hears it no longer because they spoke. */
  isAgentSpeaking: () => boolean
  /** The caller begins to speak. */
  onActivity: () => void
  /** A voice was heard, and nothing that it said. */
  nothingSaid: () => void
  /** The caller is silent, and these are their words so far. */
  pausing: (text: string) => void
  /** The caller has probably said what they had to say; null if they continue after all. */
  foreseen: (text: string | null) => void
  /** The same if nobody said so: in the silence that may be the end of the turn, when the words are known. */
  expected: (text: string | null) => void
  /** A turn is about to end. */
  turnEnding: () => void
  /** The caller has said what they had to say. */
  turnEnded: (timings: TurnTimings) => void
}

/** When the caller stopped, when their words were known, and when it was clear that they were done. */
export interface TurnTimings {
  speechEndedMs: number
  /** Null as long as they are not. */
  transcriptMs: number | null
  turnEndedMs: number
}

/** Who speaks when: makes turns of the caller's voice and of what the transcribers make of it. */
export class TurnDetection {
  #parts: TurnDetectionParts
  #isSpeaking = false
  /** Whether a voice was noticed in this turn at all: transcribers hear more than that. */
  #hasSpeech = false
  /** Whether the turn ended with words that the transcribers had not settled, and which they may still repeat. */
  #isAssumed = false
  #lastHeardMs = 0
  /** Whether the transcribers have said before that a turn ended. */
  #transcriberEndsTurns = false
  #isEager = false
  #spokenMs = 0
  /** How much had been spoken when the transcribers ended a turn in the middle of the voice. */
  #endedAtMs: number | null = null
  #words: string[] = []
  #partial = ''
  #startedAt = 0
  #speechEndedMs = 0
  readonly #pauses = new SpeakerPauses()
  /** Whether the turn began while the agent spoke. */
  #isOverAgent = false
  /** Between the turn before and this one. */
  #silentBeforeMs: number | null = null
  /** The stretch of speech that is being judged by its sound. */
  #judging: symbol | null = null
  #bySound: number | null = null
  readonly #expected: ExpectedTurn
  #timer: NodeJS.Timeout | undefined

  constructor(parts: TurnDetectionParts) {
    this.#parts = parts
    this.#expected = new ExpectedTurn(parts.expected, parts.nowMs)
  }

  /** Another agent has the call: its knobs hold from now on. */
  use(knobs: Pick<TurnDetectionParts, 'turn' | 'endOfTurn' | 'language' | 'sureness'>) {
    this.#parts = { ...this.#parts, ...knobs }
    this.#transcriberEndsTurns = this.#isEager = false
    this.#forgetSound()
    this.#consider() // those who would have ended the turn are gone
  }

  close() {
    clearTimeout(this.#timer)
    this.#expected.end()
    this.#forgetSound()
  }

  #forgetSound() {
    this.#judging = this.#bySound = null
  }

  get isSpeaking(): boolean {
    return this.#isSpeaking
  }

  /** Whether the transcribers that listen say themselves when a turn is over. */
  get endsByTranscriber(): boolean {
    return this.#parts.endOfTurn === 'stt' && this.#transcriberEndsTurns
  }

  /** What the caller has said of the turn that is not over. */
  get text(): string {
    return [...this.#words, this.#partial].filter((words) => words !== '').join(' ')
  }

  speechStarted(spokenMs: number) {
    clearTimeout(this.#timer)
    const silentMs = this.#parts.nowMs() - spokenMs - this.#speechEndedMs
    if (this.#hasSpeech) this.#pauses.paused(silentMs)
    else this.#isOverAgent = this.#parts.isAgentSpeaking()
    this.#silentBeforeMs = this.#hasSpeech ? null : silentMs
    this.#isSpeaking = true
    this.#hasSpeech = true
    this.#isAssumed = false
    this.#spokenMs = spokenMs
    this.#forgetSound()
    this.#expected.drop()
    if (this.#parts.endOfTurn === 'smart-turn') this.#resume()
    this.#startedAt = Math.round(Date.now() - spokenMs)
    this.#show('speech.started', { at: this.#startedAt })
    this.#parts.onActivity()
  }

  /** So much of the current stretch of speech was really speech. */
  speechGoesOn(spokenMs: number, voice: { isLasting: boolean } = { isLasting: true }) {
    const { min_interruption_ms, min_interruption_words } = { ...turnDefaults, ...this.#parts.turn }
    this.#spokenMs = spokenMs
    const ownMs = spokenMs - (this.#endedAtMs ?? 0)
    if (!this.#isSpeaking && this.#endedAtMs !== null && ownMs >= stillSpeakingMs) this.speechStarted(ownMs)
    if (!this.#isSpeaking || ownMs < min_interruption_ms) return
    if (wordsIn(this.text) < min_interruption_words || this.#onlyListens) return
    if (!voice.isLasting && this.#saysNothing) return
    this.#parts.interrupted(min_interruption_ms)
  }

  /** An agent that sets how long a caller must speak is interrupted by anything that lasts so long. */
  get #onlyListens(): boolean {
    const { turn, isAgentSpeaking } = this.#parts
    return turn.min_interruption_ms === undefined && isAgentSpeaking() && isBackchannel(this.text)
  }

  /** A dog may sound like a voice for long enough, and has no words. */
  get #saysNothing(): boolean {
    return this.#parts.turn.min_interruption_ms === undefined && this.text === ''
  }

  speechEnded(silenceMs: number) {
    this.#endedAtMs = null
    this.#endSpeech(silenceMs)
  }

  #endSpeech(silenceMs: number) {
    if (!this.#isSpeaking) return
    this.#isSpeaking = false
    this.#speechEndedMs = this.#parts.nowMs() - silenceMs
    // what a busy process hears in one burst has an end after its beginning too
    this.#show('speech.ended', { at: Math.max(this.#startedAt + 1, Math.round(Date.now() - silenceMs)) })
    if (this.#parts.endOfTurn === 'smart-turn') void this.#judge()
    this.#consider()
  }

  async #judge() {
    const judging = (this.#judging = Symbol('stretch of speech'))
    const probability = await this.#parts.judge()
    if (this.#judging !== judging) return
    this.#judging = null
    this.#bySound = probability
    this.#consider()
  }

  heard(heard: Exclude<Heard, { type: 'ready' }>) {
    if (heard.type === 'turn') this.#hearTurn(heard.state)
    else if (heard.type === 'partial') this.#hearPartial(heard.text.trim())
    else this.#hearFinal(heard.text.trim())
  }

  #hearPartial(text: string) {
    if (text === this.#partial || this.#isAssumed) return
    this.#partial = text
    this.#lastHeardMs = this.#parts.nowMs()
    const isTooLate = this.#hasSpeech && !this.#isSpeaking
    if (text !== '' && !isTooLate) this.#parts.show([{ type: 'user.speaking', data: { text: this.text } }])
    this.#consider()
  }

  #hearFinal(text: string) {
    this.#partial = ''
    if (text !== '' && !this.#isAssumed) {
      this.#words.push(text)
      this.#lastHeardMs = this.#parts.nowMs()
    }
    this.#isAssumed = false
    this.#consider()
  }

  #hearTurn(state: 'started' | 'eager' | 'resumed' | 'ended') {
    if (this.#parts.endOfTurn !== 'stt') return
    this.#transcriberEndsTurns = true
    // A transcriber that ends turns gives no probability: it was at least as sure as it was asked to be.
    const { eot_threshold, eager_eot_threshold } = { ...turnDefaults, ...this.#parts.turn }
    if (state === 'eager') this.#foresee(eager_eot_threshold)
    if (state === 'resumed') this.#resume()
    if (state !== 'ended') return
    if (this.#isSpeaking) {
      this.#endedAtMs = this.#spokenMs
      this.#endSpeech(0)
    }
    this.#endTurn(eot_threshold)
  }

  #foresee(probability: number) {
    if (this.text === '') return
    this.#isEager = true
    this.#parts.show([{ type: 'eager.turn', data: { text: this.text, probability } }])
    this.#parts.foreseen(this.text)
  }

  #resume() {
    if (!this.#isEager) return
    this.#isEager = false
    this.continued()
    this.#parts.foreseen(null)
  }

  /** The caller continues although their turn had seemed to be over. */
  continued() {
    const { callId, keep } = this.#parts
    if (this.#silentBeforeMs !== null) this.#pauses.paused(this.#silentBeforeMs)
    this.#silentBeforeMs = null
    keep([{ type: 'turn.continued', data: { callId, at: Date.now(), text: this.text } }])
  }

  #consider() {
    clearTimeout(this.#timer)
    if (this.#isSpeaking) return
    if (this.text === '') {
      if (this.#hasSpeech) this.#timer = setTimeout(() => this.#parts.nothingSaid(), transcriptMs)
      return
    }
    this.#parts.pausing(this.text)
    if (this.endsByTranscriber || this.#judging) return
    const isWhole = this.#words.length > 0 && this.#partial === ''
    const { probability, isDone, pauseMs } = this.#pause()
    const pausedMs = (this.#hasSpeech ? this.#speechEndedMs : this.#lastHeardMs) + pauseMs
    const endsMs = isWhole ? pausedMs : Math.max(pausedMs, this.#lastHeardMs + transcriptMs)
    const end = () => {
      this.#isAssumed = !isWhole
      this.#endTurn(probability)
    }
    const waitMs = Math.max(0, endsMs - this.#parts.nowMs())
    const { eager_eot_threshold = Infinity } = this.#parts.turn
    if (
      this.#bySound !== null &&
      probability >= eager_eot_threshold &&
      waitMs > 0 &&
      isWhole &&
      !this.#isEager
    )
      this.#foresee(probability)
    this.#timer = setTimeout(end, waitMs)
    const { text } = this
    const { language } = this.#parts
    const lastHeardMs = this.#lastHeardMs
    if (!this.#isEager)
      this.#expected.look({ text, language, isSettled: isWhole, lastHeardMs, isDone, waitMs })
  }

  #pause() {
    const { turn, sureness, language } = this.#parts
    const habitMs = this.#pauses.patienceMs
    return pauseAfter({ text: this.text, bySound: this.#bySound, habitMs, turn, sureness, language })
  }

  #endTurn(probability: number) {
    const { keep, newMessageId, nowMs, turnEnding, turnEnded } = this.#parts
    const text = this.text
    const isHeardOnly = this.#isOverAgent && isBackchannel(text) && this.#parts.isAgentSpeaking()
    clearTimeout(this.#timer)
    this.#isOverAgent = false
    if (text !== '' && !isHeardOnly) turnEnding()
    this.#words = []
    this.#partial = ''
    this.#isEager = false
    this.#expected.end()
    this.#forgetSound()
    if (text === '') return
    this.#pauses.turnEnded()
    if (isHeardOnly) return this.#endBackchannel(text)
    keep([
      { type: 'user.message', data: { text, messageId: newMessageId() } },
      { type: 'turn.end', data: { text, probability } },
    ])
    const speechEndedMs = this.#hasSpeech ? this.#speechEndedMs : this.#lastHeardMs
    this.#hasSpeech = false
    turnEnded({
      speechEndedMs,
      transcriptMs: Math.max(this.#lastHeardMs, speechEndedMs),
      turnEndedMs: nowMs(),
    })
  }

  /** The agent continues, and answers nothing. */
  #endBackchannel(text: string) {
    const { keep, newMessageId, nothingSaid } = this.#parts
    this.#hasSpeech = false
    this.#parts.expected(null) // nobody answers it
    keep([{ type: 'user.message', data: { text, messageId: newMessageId() } }])
    nothingSaid()
  }

  #show(type: string, data: Record<string, unknown>) {
    this.#parts.show([{ type, data: { callId: this.#parts.callId, ...data } }])
  }
}

const wordsIn = (text: string) => text.match(/\S+/gu)?.length ?? 0
