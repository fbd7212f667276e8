import type { CallReason, NewEntry } from '@switchroom/contract/log'
import { apologyIn } from '../apologies.ts'
import { Turn } from '../turn.ts'
import { vendorsDown } from '../vendors-down.ts'
import type { CallAudio } from './call-audio.ts'
import type { CallLog } from './call-log.ts'
import { sayingWith } from './said-text.ts'
import { Speaking } from './speaking.ts'
import type { SpokenParts } from './spoken-parts.ts'
import type { TurnTimings } from './turn-taking.ts'
import { Utterance, type CutReason, type Source, type UtteranceKind } from './utterance.ts'

/** After so many messages that no voice could say, nobody is kept waiting any longer. */
const mostUnsaid = 3

export interface RepliesParts {
  log: CallLog
  audio: CallAudio
  /** What was not played yet was dropped. */
  cleared: () => void
  stirred: () => void
  quiet: () => void
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
  #speaking: Speaking
  #now: { utterance: Utterance; isModels: boolean } | null = null
  #wanted: Wanted[] = []
  /** What a voice cut short that may turn out to have said nothing. */
  #brokenOff: Wanted | null = null
  /** What the caller said and nobody has answered. */
  #owed: TurnTimings | null = null
  /** How the model is to begin, where it opens the conversation. */
  #opensWith: string | null = null
  #isHeld = false
  /** Nothing is said before the sound stands, and nothing after the end. */
  #isOpen = false
  #unsaid = 0
  #work: Promise<void> = Promise.resolve()

  constructor(parts: SpokenParts, around: RepliesParts) {
    this.#parts = parts
    this.#around = around
    this.#speaking = this.#speakingNow()
  }

  /** Resolves once what is being said is over and told. */
  get settled(): Promise<void> {
    return this.#work
  }

  get isBusy(): boolean {
    return this.#now !== null
  }

  /** Samples of what is said now are about to be played; whether they still may. */
  plays(): boolean {
    return this.#now?.utterance.play() ?? false
  }

  /** The sound stands. */
  open() {
    this.#isOpen = true
    this.#next()
  }

  greet() {
    const { greeting } = this.#parts.instructions
    const isInterruptible = greeting?.allow_interruptions ?? false
    if (greeting?.say !== undefined)
      this.#wanted.unshift({ text: greeting.say, source: 'say', isInterruptible, said: () => {} })
    this.#opensWith = greeting?.reply ?? null
    this.#next()
  }

  /** The caller is done: answered at once, or after what must not be cut short. */
  answer(timings: TurnTimings) {
    this.#brokenOff = null
    if (this.#isHeld) return
    this.#owed = timings
    this.#next()
  }

  say(text: string, source: 'say' | 'human', by: string | null): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wanted.push({ text, source, by, isInterruptible: true, said: resolve })
    if (this.#now?.isModels) this.#cut('api')
    this.#next()
    return promise
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

  /** Nobody said anything after all: what was broken off for them is said to its end. */
  goOn() {
    if (this.#brokenOff && !this.#isHeld) this.#wanted.push(this.#brokenOff)
    this.#brokenOff = null
    this.#next()
  }

  /** Drops an answer that nobody hears yet, for the caller has said more; whether there was one. */
  rethink(): boolean {
    const now = this.#now
    if (!now?.isModels || !now.utterance.isInterruptible || now.utterance.isHeard) return false
    return this.#cut('user_speech')
  }

  hold() {
    this.#isHeld = true
    this.#owed = this.#brokenOff = null
    this.#opensWith = null
    if (this.#now?.isModels) this.#cut('api')
  }

  release() {
    this.#isHeld = false
  }

  async swap(parts: SpokenParts) {
    this.#parts = parts
    this.#isHeld = false // whoever held it has handed it over
    this.#owed = this.#brokenOff = null
    this.#speaking = this.#speakingNow()
    this.#cut('api')
    this.greet()
  }

  close() {
    this.#isOpen = false
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
      this.#work = this.#sayWanted(wanted)
      return
    }
    const opensWith = this.#opensWith
    const owed = this.#owed
    this.#opensWith = this.#owed = null
    if (this.#isHeld || (opensWith === null && owed === null)) return this.#around.quiet()
    this.#work = this.#reply(owed === null ? opensWith : null, owed)
  }

  async #sayWanted({ text, source, by = null, isInterruptible, said }: Wanted) {
    const messageId = this.#parts.newMessageId()
    const utterance = this.#utterance({ isInterruptible, text, source, by, messageId })
    await this.#play(utterance, false)
    said()
    this.#over(utterance, null)
  }

  async #reply(opensWith: string | null, owed: TurnTimings | null) {
    const { instructions, newMessageId } = this.#parts
    const isInterruptible = opensWith === null || (instructions.greeting?.allow_interruptions ?? false)
    const utterance = this.#utterance({
      isInterruptible,
      text: null,
      source: 'model',
      messageId: newMessageId(),
    })
    const played = this.#play(utterance, true)
    const ends = await this.#think(utterance, opensWith)
    utterance.complete()
    await played
    this.#over(utterance, owed)
    if (ends && !utterance.signal.aborted) this.#around.end('hangup')
  }

  async #think(utterance: Utterance, opensWith: string | null): Promise<boolean> {
    const { log } = this.#around
    const { signal } = utterance
    const parts = {
      ...this.#parts,
      entries: log.entries,
      keep: (entries: readonly NewEntry[]) => log.keep(entries),
      runTools: this.#runTools,
      voice: utterance,
    }
    try {
      const { ends } = await new Turn(parts, signal, opensWith).run()
      return ends
    } catch (error) {
      if (signal.aborted) return false
      log.write([{ type: 'error', data: { code: 'llm_failed', detail: wordsOf(error) } }])
      utterance.say(apologyIn(this.#parts.instructions.language), 'say')
      return false
    }
  }

  readonly #runTools: SpokenParts['runTools'] = async (msgId, calls) => {
    const outcomes = await this.#parts.runTools(msgId, calls)
    const results = outcomes.map(({ id, name, ok, text }) => ({ id, name, ok, result: text }))
    for (const data of results) this.#around.log.note({ type: 'tool.result', data })
    return outcomes
  }

  async #play(utterance: Utterance, isModels: boolean) {
    this.#now = { utterance, isModels }
    this.#around.stirred()
    try {
      await this.#around.audio.play(utterance)
    } catch (error) {
      utterance.failure ??= error
    }
  }

  #over(utterance: Utterance, owed: TurnTimings | null) {
    const { log, end } = this.#around
    if (!utterance.signal.aborted) utterance.finish()
    log.write([...utterance.metrics, ...timingsOf(utterance, owed)])
    this.#now = null
    this.#unsaid = utterance.failure === null ? 0 : this.#unsaid + 1
    if (utterance.failure !== null) {
      const vendor = this.#parts.voices[0]?.vendor
      log.write([{ type: 'error', data: { code: 'tts_failed', detail: wordsOf(utterance.failure), vendor } }])
    }
    if (this.#unsaid >= mostUnsaid) end('failed')
    else this.#next()
  }

  #utterance(kind: UtteranceKind): Utterance {
    const { sound, instructions, nowMs } = this.#parts
    const parts = {
      sound,
      speaking: this.#speaking,
      saying: sayingWith(instructions.lexicon.said),
      keep: (entries: readonly NewEntry[]) => this.#around.log.write(entries),
      show: (entries: readonly NewEntry[]) => this.#parts.show(entries),
      nowMs,
    }
    return new Utterance(parts, kind)
  }

  #speakingNow(): Speaking {
    const { voices, sound, nowMs } = this.#parts
    const { log } = this.#around
    const down = vendorsDown(log.entries, 'tts')
    return new Speaking({
      voices,
      sampleRate: sound.sampleRate,
      down,
      keep: (entries) => log.write(entries),
      nowMs,
    })
  }
}

/** How long the caller waited for each step, from when they stopped speaking. */
function timingsOf({ marks, messageId }: Utterance, owed: TurnTimings | null): NewEntry[] {
  if (owed === null) return []
  const since = (ms: number | null) => (ms === null ? null : Math.round(ms - owed.speechEndedMs))
  const data = {
    stage: 'turn',
    messageId,
    transcript_ms: since(owed.transcriptMs),
    turn_end_ms: since(owed.turnEndedMs),
    first_token_ms: since(marks.firstTextMs),
    first_audio_ms: since(marks.firstAudioMs),
    heard_ms: since(marks.heardMs),
  }
  return [{ type: 'metrics', data }]
}

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
