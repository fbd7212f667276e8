import type { NewEntry } from '@switchroom/contract/log'
import type { Sound } from '@switchroom/contract/sound'
import type { TurnVoice } from '../parts.ts'
import type { RealtimeSpeech } from './realtime/speech.ts'
import { Sentences } from './sentences.ts'
import type { SpeechSynthesis, Spent } from './speech-synthesis.ts'
import type { SaidText } from './said-text.ts'
import { WordClock } from './word-clock.ts'

const shortestWaitMs = 20
/** How often playback is polled, and word times that no vendor gave. */
const longestWaitMs = 100

export type Source = 'model' | 'say' | 'human'
export type CutReason = 'user_speech' | 'api' | 'call_ended'

export interface UtteranceParts {
  sound: Sound
  speaking: SpeechSynthesis
  saying: (text: string) => SaidText
  /** Null unless the model speaks for itself. */
  speech: RealtimeSpeech | null
  keep: (entries: readonly NewEntry[]) => void
  show: (entries: readonly NewEntry[]) => void
  nowMs: () => number
}

export interface UtteranceKind {
  isInterruptible: boolean
  /** Said at once and whole; null if the model says it word by word. */
  text: string | null
  source: Source
  /** Who of the org says it. */
  by?: string | null
  messageId: string
}

/** When what happened, for the timings of a turn. */
export interface Marks {
  /** What the turn is about had been looked up. */
  knowledgeMs: number | null
  firstTextMs: number | null
  /** The first piece of text that a voice can say. */
  firstClauseMs: number | null
  firstAudioMs: number | null
  heardMs: number | null
}

/** One message of the agent on its way from text to what the party heard of it. */
export class Utterance implements TurnVoice {
  readonly isInterruptible: boolean
  readonly marks: Marks = {
    knowledgeMs: null,
    firstTextMs: null,
    firstClauseMs: null,
    firstAudioMs: null,
    heardMs: null,
  }
  readonly #parts: UtteranceParts
  readonly #whole: string | null
  readonly #by: string | null
  readonly #stop = new AbortController()
  readonly #sentences = new Sentences()
  readonly #clock = new WordClock()
  readonly #spent: Spent[] = []
  #messageId: string
  #answers: unknown = null
  #source: Source
  #pieces: string[] = []
  #isComplete = false
  #wake: (() => void) | null = null
  /** What the party had been played before the first sample of this. */
  #fromMs = 0
  #sinceMs: number
  #hasBegun = false
  #isOver = false
  #timer: NodeJS.Timeout | undefined
  /** What no voice could say. */
  failure: unknown = null

  constructor(parts: UtteranceParts, { isInterruptible, text, source, by = null, messageId }: UtteranceKind) {
    this.#parts = parts
    this.isInterruptible = isInterruptible
    this.#whole = text
    this.#by = by
    this.#source = source
    this.#messageId = messageId
    this.#sinceMs = parts.nowMs()
    this.signal.addEventListener('abort', () => this.#wake?.(), { once: true })
    if (text === null) return
    if (parts.speech) parts.speech.say(text)
    else this.say(text, source)
    this.complete()
  }

  /** Aborts once it is interrupted. */
  get signal(): AbortSignal {
    return this.#stop.signal
  }

  /** Whether the party hears it. */
  get isHeard(): boolean {
    return this.#hasBegun && !this.#isOver
  }

  /** Since when it is heard, or since it was created if it is not heard yet. */
  get sinceMs(): number {
    return this.#sinceMs
  }

  get messageId(): string {
    return this.#messageId
  }

  /** Null unless the model speaks for itself. */
  get speech(): RealtimeSpeech | null {
    return this.#parts.speech
  }

  lookedUp() {
    this.marks.knowledgeMs ??= this.#parts.nowMs()
  }

  begin(messageId: string, answers: unknown) {
    this.#messageId = messageId
    this.#answers = answers
  }

  say(text: string, source: Source) {
    this.marks.firstTextMs ??= this.#parts.nowMs()
    this.#source = source
    const { speech } = this.#parts
    if (!speech) this.#add(this.#sentences.add(text))
    else if (source !== 'model') speech.say(text)
  }

  meanwhile(text: string) {
    if (this.#parts.speech) return
    this.say(`${text} `, 'say')
    this.rest()
  }

  takeBack() {
    this.#sentences.clear()
    this.#pieces = []
  }

  rest() {
    this.#add(this.#sentences.rest().map((piece) => `${piece.trimEnd()} `))
  }

  /** Nothing more is said. */
  complete() {
    this.rest()
    this.#isComplete = true
    this.#parts.speech?.complete()
    this.#wake?.()
  }

  #add(pieces: Iterable<string>) {
    this.#pieces.push(...pieces)
    if (this.#pieces.length > 0) this.marks.firstClauseMs ??= this.#parts.nowMs()
    this.#wake?.()
  }

  /** The samples, as fast as they are taken. */
  async *samples(): AsyncIterable<Int16Array> {
    const { speech, nowMs } = this.#parts
    try {
      for await (const samples of speech?.samples(this.#clock, this.signal) ?? this.#spoken()) {
        this.marks.firstAudioMs ??= nowMs()
        yield samples
      }
    } catch (error) {
      if (!this.signal.aborted) this.failure = error
    }
  }

  async *#spoken(): AsyncIterable<Int16Array> {
    const { speaking, saying } = this.#parts
    for (;;) {
      const piece = this.#pieces.shift()
      if (piece !== undefined) yield* speaking.say(piece, saying, this.#clock, this.#spent, this.signal)
      else if (this.#isComplete) return
      else await this.#moreText()
    }
  }

  async #moreText() {
    this.signal.throwIfAborted()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wake = resolve
    await promise
    this.#wake = null
    this.signal.throwIfAborted()
  }

  /** Samples are about to be played; whether they still may. */
  play(): boolean {
    if (!this.#hasBegun && !this.#isOver) this.#start()
    return !this.#isOver
  }

  #start() {
    const { sound, keep } = this.#parts
    this.#hasBegun = true
    this.#fromMs = sound.playedMs
    this.#sinceMs = this.#parts.nowMs()
    keep([{ type: 'bot.speaking', data: { messageId: this.#messageId, text: this.#whole ?? '' } }])
    this.#follow()
  }

  /** Reports each word as the party hears it. */
  #follow() {
    if (this.#isOver) return
    this.#tell(this.#playedMs)
    const nextMs = this.#clock.nextMs
    const waitMs = nextMs === null ? longestWaitMs : nextMs - this.#playedMs
    const isBegun = this.marks.heardMs !== null
    const most = isBegun ? longestWaitMs : shortestWaitMs
    this.#timer = setTimeout(() => this.#follow(), Math.min(most, Math.max(shortestWaitMs, waitMs)))
  }

  #tell(playedMs: number) {
    if (playedMs <= 0) return
    this.marks.heardMs ??= this.#parts.nowMs()
    const data = [...this.#clock.heardUntil(playedMs)].map((word) => ({ messageId: this.#messageId, word }))
    if (data.length > 0) this.#parts.show(data.map((word) => ({ type: 'bot.word', data: word })))
  }

  get #playedMs(): number {
    return this.#hasBegun ? Math.min(this.#parts.sound.playedMs - this.#fromMs, this.#clock.audioMs) : 0
  }

  /** Everything was played. */
  finish() {
    if (!this.#isHeardToTheEnd()) return
    const durationMs = Math.round(this.#playedMs)
    this.#parts.keep([
      { type: 'bot.finished', data: { messageId: this.#messageId, durationMs } },
      ...this.#message(this.failure === null ? this.#clock.text.trim() : this.#clock.heard),
    ])
  }

  #isHeardToTheEnd(): boolean {
    const isBegun = this.#hasBegun && !this.#isOver
    if (isBegun) this.#tell(Infinity)
    this.#close()
    return isBegun
  }

  /** Stops it where it is; whether the party had heard anything of it. */
  cut(reason: CutReason): boolean {
    if (this.#isOver) return false
    const { sound, keep } = this.#parts
    const playedMs = this.#playedMs
    const isHeard = this.#hasBegun
    if (isHeard) {
      this.#tell(playedMs)
      sound.clear()
    }
    this.#close()
    this.#stop.abort(new Error(`cut short: ${reason}`))
    this.#parts.speech?.cut(playedMs)
    if (isHeard)
      keep([
        {
          type: 'bot.interrupted',
          data: { messageId: this.#messageId, playedMs: Math.round(playedMs), reason },
        },
        ...this.#message(this.#clock.heard),
      ])
    return isHeard
  }

  /** What was to be said and was not heard. */
  get unheard(): string {
    const { speech } = this.#parts
    const waiting = speech?.waiting ?? [...this.#pieces, this.#sentences.waiting].join('')
    return (this.#clock.unheard + waiting).trim()
  }

  get source(): Source {
    return this.#source
  }

  #close() {
    this.#isOver = true
    clearTimeout(this.#timer)
  }

  #message(text: string): NewEntry[] {
    if (text === '') return []
    const answers = this.#answers === null ? {} : { answers: this.#answers }
    const by = this.#by === null ? {} : { by: this.#by }
    const data = { text, messageId: this.#messageId, source: this.#source, ...by, ...answers }
    return [{ type: 'agent.message', data }]
  }

  /** What was asked of each voice. */
  get metrics(): NewEntry[] {
    return [...Map.groupBy(this.#spent, ({ run }) => run)].map(([{ vendor, model, key }, spent]) => {
      const first = spent[0]?.firstAudioMs ?? null
      const data = {
        stage: 'tts',
        vendor,
        model,
        key,
        characters: spent.reduce((sum, { characters }) => sum + characters, 0),
        ...(first !== null && { first_audio_ms: Math.round(first) }),
        total_ms: Math.round(spent.reduce((sum, { totalMs }) => sum + totalMs, 0)),
        messageId: this.#messageId,
      }
      return { type: 'metrics', data }
    })
  }
}
