import { memberDefaults } from '@switchroom/contract/knobs'
import type { CallReason, NewEntry } from '@switchroom/contract/log'
import { activePlace, runAt } from '@switchroom/telemetry/tracing'
import type { CallAudio } from './call-audio.ts'
import { sayingWith } from './said-text.ts'
import { synthesisFor, type SpeechSynthesis } from './speech-synthesis.ts'
import type { SpokenParts } from './spoken-parts.ts'
import { ModelAnswers, type ModelAnswersParts } from './model-answers.ts'
import type { TurnTimings } from './turn-detection.ts'
import { TurnTrace } from './turn-trace.ts'
import { Utterance, type CutReason, type Source, type UtteranceKind } from './utterance.ts'

const greetingDefaults = memberDefaults('greeting')
/** After so many messages that no voice could say, the call ends. */
const mostFailedInARow = 3

export interface RepliesParts extends ModelAnswersParts {
  audio: CallAudio
  /** What was not played yet was dropped. */
  cleared: () => void
  onActivity: () => void
  onSilence: () => void
  end: (reason: CallReason) => void
}

interface Wanted {
  text: string
  source: Source
  by?: string | null
  isInterruptible: boolean
  said: () => void
}

/** What the agent says: one message at a time, what others want said before what the model answers. */
export class Replies {
  #parts: SpokenParts
  readonly #around: RepliesParts
  readonly #thinking: ModelAnswers
  #speaking: SpeechSynthesis
  #now: { utterance: Utterance; isModels: boolean } | null = null
  #wanted: Wanted[] = []
  /** What a voice cut short that may turn out to have said nothing. */
  #brokenOff: Wanted | null = null
  /** What the caller said and has no answer yet. */
  #owed: TurnTimings | null = null
  /** How the model is to begin, if it opens the conversation. */
  #opensWith: string | null = null
  #isHeld = false
  /** Nothing is said before the sound is connected, and nothing after the end. */
  #isOpen = false
  #failedInARow = 0
  /** What the far end said before then, its greeting answers. */
  #answeredByGreetingMs = 0
  /** Of the call. What is heard comes in events of its sound, which run elsewhere. */
  readonly #place = activePlace()
  #work: Promise<void> = Promise.resolve()

  constructor(parts: SpokenParts, around: RepliesParts) {
    this.#parts = parts
    this.#around = around
    this.#thinking = new ModelAnswers(parts, around)
    this.#speaking = synthesisFor(this.#around.log, this.#parts)
  }

  /** Resolves once what is being said is over and logged. */
  get settled(): Promise<void> {
    return this.#work
  }

  get isBusy(): boolean {
    return this.#now !== null
  }

  /** Whether the party hears the agent, or hears it no longer because of a voice that may have said nothing. */
  get isSpeaking(): boolean {
    return this.#now?.utterance.isHeard === true || this.#brokenOff !== null
  }

  /** Samples of what is said now are about to be played; whether they still may. */
  plays(): boolean {
    return this.#now?.utterance.play() ?? false
  }

  /** The sound is connected. */
  open() {
    this.#isOpen = true
    this.#next()
  }

  /** The same, once a person has said hello: the greeting answers that. */
  openAfterHello() {
    const isGreeting = this.#wanted.length > 0 || this.#opensWith !== null
    this.#answeredByGreetingMs = isGreeting ? this.#parts.nowMs() : 0
    if (isGreeting) this.#owed = null
    this.open()
  }

  greet() {
    const { greeting } = this.#parts.instructions
    const isInterruptible = greeting?.allow_interruptions ?? greetingDefaults.allow_interruptions
    if (greeting?.say !== undefined)
      this.#wanted.unshift({ text: greeting.say, source: 'say', isInterruptible, said: () => {} })
    this.#opensWith = greeting?.reply ?? null
    this.#next()
  }

  /** The caller seems to be done with these words, or continues after all (null): thought about, not said or logged. */
  foresee(text: string | null) {
    const isFree = !this.#now && !this.#isHeld && this.#isOpen
    this.#thinking.foresee(isFree ? text : null)
  }

  /** The same if it is only to be expected. */
  expect(text: string | null) {
    const isFree = !this.#now && !this.#isHeld && this.#isOpen
    this.#thinking.expect(isFree ? text : null)
  }

  /** The caller pauses, and may have said all that they have to say. */
  pausing(text: string) {
    if (!this.#isHeld && this.#isOpen) this.#thinking.lookUpAhead(text)
  }

  /** The caller is done: answered at once, or after what must not be cut short. */
  answer(timings: TurnTimings) {
    this.#brokenOff = null
    if (this.#isHeld || timings.speechEndedMs < this.#answeredByGreetingMs) return this.foresee(null)
    this.#owed = timings
    this.#next()
  }

  /** A machine records: this alone is said, and nothing that it says is answered. Resolves once it was played. */
  leaveMessage(text: string): Promise<void> {
    this.stop()
    this.#isOpen = true
    return this.#want({ text, source: 'say', isInterruptible: false })
  }

  /** Nothing more is said than what others want. */
  stop() {
    this.hold()
    for (const { said } of this.#wanted.splice(0)) said()
    this.#cut('api')
  }

  say(text: string, source: 'say' | 'human', by: string | null): Promise<void> {
    if (this.#now?.isModels) this.#cut('api')
    return this.#want({ text, source, by, isInterruptible: true })
  }

  #want(wanted: Omit<Wanted, 'said'>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wanted.push({ ...wanted, said: resolve })
    this.#next()
    return promise
  }

  /** After what is being said now, which is not cut. */
  sayNext(text: string) {
    this.#wanted.push({ text, source: 'say', isInterruptible: true, said: () => {} })
    this.#next()
  }

  /** Whether what is heard now stops for a caller who has spoken over it for so long. */
  yieldsTo(overMs: number): boolean {
    const utterance = this.#now?.utterance
    return (
      !!utterance?.isInterruptible && utterance.isHeard && this.#parts.nowMs() - utterance.sinceMs >= overMs
    )
  }

  /** Stops for a caller who has spoken over what is said now for so long; whether anything stopped. */
  giveWayTo(overMs: number): boolean {
    const utterance = this.#now?.utterance
    if (!utterance?.isInterruptible || this.#parts.nowMs() - utterance.sinceMs < overMs) return false
    const isHeard = utterance.isHeard
    if (!this.#cut('user_speech')) return false
    const { unheard: text, source } = utterance
    this.#brokenOff = isHeard && text !== '' ? { text, source, isInterruptible: true, said: () => {} } : null
    return true
  }

  /** A false interruption: the interrupted text is said to its end. */
  goOn() {
    if (this.#brokenOff && !this.#isHeld) this.#wanted.push(this.#brokenOff)
    this.#brokenOff = null
    this.#next()
  }

  /** Drops an answer before it is heard, because the caller has said more; whether there was one. */
  rethink(): boolean {
    const now = this.#now
    if (!now?.isModels || !now.utterance.isInterruptible || now.utterance.isHeard) return false
    return this.#cut('user_speech')
  }

  hold() {
    this.#isHeld = true
    this.foresee(null)
    this.#owed = this.#brokenOff = null
    this.#opensWith = null
    if (this.#now?.isModels) this.#cut('api')
  }

  release() {
    this.#isHeld = false
  }

  swap(parts: SpokenParts) {
    this.#parts = parts
    this.#isHeld = false // the line has handed it over
    this.#thinking.use(parts)
    this.#owed = this.#brokenOff = null
    this.#speaking = synthesisFor(this.#around.log, this.#parts)
    this.#cut('api')
    this.greet()
  }

  close() {
    this.#isOpen = false
    this.foresee(null)
    this.#cut('call_ended')
    for (const { said } of this.#wanted.splice(0)) said()
  }

  #cut(reason: CutReason): boolean {
    const utterance = this.#now?.utterance
    if (!utterance || utterance.signal.aborted) return false
    if (utterance.cut(reason)) this.#around.cleared()
    return true
  }

  #next() {
    if (this.#now || !this.#isOpen) return
    const wanted = this.#wanted.shift()
    if (wanted) {
      this.#work = runAt(this.#place, () => this.#sayWanted(wanted))
      return
    }
    const opensWith = this.#opensWith
    const owed = this.#owed
    this.#opensWith = this.#owed = null
    if (this.#isHeld || (opensWith === null && owed === null)) return this.#around.onSilence()
    this.#work = runAt(this.#place, () => this.#reply(owed === null ? opensWith : null, owed))
  }

  async #sayWanted({ text, source, by = null, isInterruptible, said }: Wanted) {
    const messageId = this.#parts.newMessageId()
    const utterance = this.#utterance({ isInterruptible, text, source, by, messageId })
    await this.#play(utterance, false)
    said()
    this.#over(utterance, null)
  }

  async #reply(opensWith: string | null, owed: TurnTimings | null) {
    const trace = new TurnTrace(owed)
    await trace.run(() => this.#answerWith(trace, opensWith, owed))
  }

  async #answerWith(trace: TurnTrace, opensWith: string | null, owed: TurnTimings | null) {
    const { instructions, newMessageId } = this.#parts
    const isInterruptible =
      opensWith === null ||
      (instructions.greeting?.allow_interruptions ?? greetingDefaults.allow_interruptions)
    const utterance = this.#utterance({
      isInterruptible,
      text: null,
      source: 'model',
      messageId: newMessageId(),
    })
    const played = this.#play(utterance, true)
    const ends = await this.#thinking.answer(utterance, opensWith)
    utterance.complete()
    await played
    trace.end(utterance)
    this.#over(utterance, owed)
    if (ends && !utterance.signal.aborted) this.#around.end('hangup')
  }

  #write(entries: readonly NewEntry[]) {
    this.#around.inOrder(() => this.#around.log.write(entries))
  }

  async #play(utterance: Utterance, isModels: boolean) {
    this.#now = { utterance, isModels }
    this.#around.onActivity()
    try {
      await this.#around.audio.play(utterance)
    } catch (error) {
      utterance.failure ??= error
    }
  }

  #over(utterance: Utterance, owed: TurnTimings | null) {
    if (!utterance.signal.aborted) utterance.finish()
    this.#around.inOrder(() => this.#around.log.write([...utterance.metrics, ...timingsOf(utterance, owed)]))
    this.#now = null
    this.#failedInARow = utterance.failure === null ? 0 : this.#failedInARow + 1
    if (utterance.failure !== null) this.#write([this.#unspokenEntry(wordsOf(utterance.failure))])
    if (this.#failedInARow >= mostFailedInARow) this.#around.end('failed')
    else this.#next()
  }

  #unspokenEntry(detail: string): NewEntry {
    const realtime = this.#around.realtime()
    const data = realtime
      ? { code: 'llm_failed', detail, vendor: realtime.vendor }
      : { code: 'tts_failed', detail, vendor: this.#parts.voices[0]?.vendor }
    return { type: 'error', data }
  }

  #utterance(kind: UtteranceKind): Utterance {
    const { sound, instructions, nowMs } = this.#parts
    const { inOrder, realtime } = this.#around
    const parts = {
      sound,
      speaking: this.#speaking,
      saying: sayingWith(instructions.lexicon.said),
      speech: realtime()?.speech() ?? null,
      keep: (entries: readonly NewEntry[]) => this.#write(entries),
      show: (entries: readonly NewEntry[]) => inOrder(() => this.#parts.show(entries)),
      nowMs,
    }
    return new Utterance(parts, kind)
  }
}

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** How long the caller waited for each step, from when they stopped speaking. */
function timingsOf({ marks, messageId }: Utterance, owed: TurnTimings | null): NewEntry[] {
  if (owed === null) return []
  const since = (ms: number | null) => (ms === null ? null : Math.round(ms - owed.speechEndedMs))
  const data = {
    stage: 'turn',
    messageId,
    transcript_ms: since(owed.transcriptMs),
    turn_end_ms: since(owed.turnEndedMs),
    ...(marks.knowledgeMs !== null && { knowledge_ms: since(marks.knowledgeMs) }),
    first_token_ms: since(marks.firstTextMs),
    first_clause_ms: since(marks.firstClauseMs),
    first_audio_ms: since(marks.firstAudioMs),
    heard_ms: since(marks.heardMs),
  }
  return [{ type: 'metrics', data }]
}
