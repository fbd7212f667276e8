import { setTimeout as sleep } from 'node:timers/promises'
import type { NewEntry } from '@switchroom/contract/log'
import { silent } from '@switchroom/kit/failures'
import type {
  Conversation,
  Message,
  RealtimeAsked,
  RealtimeTold,
  RealtimeUsage,
} from '@switchroom/kit/vendor'
import { unknownOutcome } from '../../history.ts'
import { metricsOf } from '../../metrics.ts'
import { switches } from '../../vendors-down.ts'
import { AudioQueue } from '../audio-queue.ts'
import { ListenAttempt } from '../transcription.ts'
import { RealtimeReply } from './reply.ts'
import { SpeechResampler } from '../speech-resampler.ts'
import type { RealtimeRun } from '../spoken-parts.ts'
import { inRounds } from '../vendor-rounds.ts'

const readyMs = 10_000
/** It comes faster than anybody hears it, and is kept until they do. */
const longestReplyMs = 10 * 60_000
/** How long to wait for the usage of an interrupted reply. */
const lastUsageMs = 1_000

type Asked = Exclude<RealtimeAsked, Uint8Array>
export type ToldOfTurn = Extract<RealtimeTold, { turn: string }>

export interface RealtimeConversationParts {
  runs: readonly RealtimeRun[]
  /** Of the party's sound. */
  sampleRate: number
  down: Set<string>
  /** What was said before, for a model that was not there. */
  history: () => readonly Message[]
  /** Whether the party's turn has begun and is not over. */
  isSpeaking: () => boolean
  keep: (entries: readonly NewEntry[]) => void
  heard: (told: ToldOfTurn) => void
  /** No model hears any more. */
  lost: (vendor: string, why: unknown) => void
  nowMs: () => number
}

/** The conversation with one vendor's model, and with the next one's if it fails. */
export class RealtimeConversation {
  readonly #parts: RealtimeConversationParts
  readonly #asked: AudioQueue<Asked>
  readonly #stop = new AbortController()
  readonly #replies = new Map<string, RealtimeReply>()
  /** Those that are over, and whose usage the vendor has not said yet. */
  readonly #unsettled = new Map<string, RealtimeReply>()
  /** The tool calls whose outcome the model received, and whether that outcome was known. */
  #outcomes = new Map<string, 'known' | 'unknown'>()
  #input: SpeechResampler | null = null
  #run: RealtimeRun
  /** The connection; open once the vendor took it. */
  #on: ListenAttempt | null = null
  #isOpen = false
  /** Sent as soon as a model is connected. */
  #wishes: { reply: RealtimeReply; ask: () => void }[] = []
  #count = 0

  constructor(parts: RealtimeConversationParts, first: RealtimeRun) {
    this.#parts = parts
    this.#run = first
    this.#asked = new AudioQueue(inputRateOf(first))
  }

  /** The connected model, or the next to try. */
  get run(): RealtimeRun {
    return this.#run
  }

  start() {
    void this.#converse()
  }

  /** Resolves once the vendor has said what its last reply cost, or did not in time. */
  async close(): Promise<void> {
    const unpaid = [...this.#replies.values(), ...this.#unsettled.values()].map(({ settled }) => settled)
    if (this.#isOpen && unpaid.length > 0)
      await Promise.race([Promise.all(unpaid), sleep(lastUsageMs, undefined, { ref: false })])
    this.#stop.abort()
    this.#asked.end()
  }

  add(samples: Int16Array) {
    const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
    for (const resampled of this.#input?.take(bytes) ?? []) this.#asked.add(resampled)
  }

  /** The party began to speak, or was quiet for long enough. */
  speech(state: 'started' | 'ended') {
    if (this.#isOpen) this.#asked.ask({ type: 'speech', state })
  }

  /** Asks for an answer to what was said. */
  reply({ messages, tools = [] }: Conversation): RealtimeReply {
    const instructions = messages.flatMap(({ role, text }) => (role === 'system' ? [text] : [])).join('\n\n')
    return this.#wish(null, (reply) => {
      this.#tellOutcomes(messages)
      return { type: 'reply', reply, instructions, tools }
    })
  }

  say(text: string): RealtimeReply {
    return this.#wish(text, (reply) => ({ type: 'say', reply, text }))
  }

  /** The rest of it is not wanted. */
  stop(reply: RealtimeReply) {
    if (reply.isUnwanted) return
    reply.isUnwanted = true
    if (this.#replies.has(reply.id)) this.#asked.ask({ type: 'stop', reply: reply.id })
  }

  /** Of an item of it only so much was heard. */
  cut(reply: RealtimeReply, item: string, heardMs: number) {
    if (this.#isOpen && reply.on === this.#on) this.#asked.ask({ type: 'cut', item, heardMs })
  }

  /** It is not needed any more. */
  drop(reply: RealtimeReply, why: unknown) {
    this.stop(reply)
    reply.fail(why)
  }

  /** A model that does not answer is dropped for the next one. */
  giveUp(reply: RealtimeReply, why: unknown) {
    if (this.#isOpen && reply.on === this.#on) this.#on?.fail(why)
  }

  #wish(given: string | null, asked: (id: string) => Asked): RealtimeReply {
    const reply = new RealtimeReply(`reply_${(this.#count += 1)}`, given, this.#parts.nowMs())
    const ask = () => {
      if (reply.isUnwanted) return
      reply.run = this.#run
      reply.on = this.#on
      reply.askedMs = this.#parts.nowMs()
      this.#replies.set(reply.id, reply)
      this.#asked.ask(asked(reply.id))
    }
    if (this.#isOpen) ask()
    else if (this.#stop.signal.aborted) reply.fail(silent('the conversation is over'))
    else this.#wishes.push({ reply, ask })
    return reply
  }

  #tellOutcomes(messages: readonly Message[]) {
    for (const message of messages) {
      if (message.role !== 'tool') continue
      const { call, name, text } = message
      const before = this.#outcomes.get(call)
      const isKnown = text !== unknownOutcome
      if (before === 'known' || (before === 'unknown' && !isKnown)) continue
      this.#outcomes.set(call, isKnown ? 'known' : 'unknown')
      // a call is answered once: what came too late for that is a note
      const note: Message = { role: 'system', text: `What came of ${name}: ${text}` }
      this.#asked.ask({ type: 'tell', message: before === 'unknown' ? note : message })
    }
  }

  async #converse() {
    const { runs, lost, keep, down } = this.#parts
    const rounds = {
      runs,
      attempt: (run: RealtimeRun, serves: () => void) => this.#converseWith(run, serves),
      served: ({ vendor }: RealtimeRun, failed: readonly string[]) => keep(switches(down, failed, vendor)),
    }
    const failure = await inRounds(rounds, this.#stop.signal)
    const isClosed = this.#stop.signal.aborted
    this.#stop.abort()
    for (const { reply } of this.#wishes.splice(0)) reply.fail(failure)
    if (!isClosed) lost(this.#run.vendor, failure)
  }

  async #converseWith(run: RealtimeRun, serves: () => void) {
    using on = new ListenAttempt(this.#stop.signal)
    const input = new SpeechResampler(this.#parts.sampleRate, inputRateOf(run))
    this.#run = run
    this.#on = on
    this.#input = input
    this.#asked.forgetAsked()
    const unready = setTimeout(() => on.fail(silent('it did not begin to listen')), readyMs)
    let failure: unknown = silent('it ended the conversation')
    try {
      for await (const told of run.realtime.converse(this.#everythingAsked(on.signal), on.signal)) {
        clearTimeout(unready)
        if (told.type === 'ready') this.#open(serves)
        else this.#hear(told)
      }
    } catch (error) {
      failure = error
      throw error
    } finally {
      clearTimeout(unready)
      this.#isOpen = false
      this.#input = null
      for (const reply of this.#replies.values()) reply.fail(failure)
      for (const reply of this.#unsettled.values()) reply.settle()
      this.#replies.clear()
      this.#unsettled.clear()
    }
  }

  async *#everythingAsked(signal: AbortSignal): AsyncIterable<RealtimeAsked> {
    const history = this.#parts.history()
    const outcomes = history.flatMap((message) => (message.role === 'tool' ? [message] : []))
    this.#outcomes = new Map(
      outcomes.map(({ call, text }) => [call, text === unknownOutcome ? 'unknown' : 'known']),
    )
    for (const message of history) yield { type: 'tell', message }
    if (this.#parts.isSpeaking()) yield { type: 'speech', state: 'started' }
    yield* this.#asked.read(signal)
  }

  #open(serves: () => void) {
    this.#isOpen = true
    serves()
    for (const { ask } of this.#wishes.splice(0)) ask()
  }

  #hear(told: Exclude<RealtimeTold, { type: 'ready' }>) {
    if (!('reply' in told)) return this.#parts.heard(told)
    if (told.type === 'used') return this.#settle(told.reply, told.usage)
    const reply = this.#replies.get(told.reply)
    if (!reply) return
    const now = this.#parts.nowMs()
    reply.take(told, now)
    if (reply.lengthMs > longestReplyMs) this.drop(reply, silent('it does not stop speaking'))
    if (told.type !== 'replied') return
    this.#replies.delete(reply.id)
    reply.overMs = now
    if (told.usage === null) this.#unsettled.set(reply.id, reply)
    // an unread stream is released here or nowhere
    else if (reply.given !== null || reply.isUnwanted)
      this.#parts.keep([costOf(reply, this.#run, told.usage)])
  }

  /** The tokens of a reply whose metrics were written without them, or not at all. */
  #settle(id: string, usage: RealtimeUsage) {
    const now = this.#parts.nowMs()
    const reply = this.#unsettled.get(id) ?? new RealtimeReply(id, null, now)
    this.#unsettled.delete(id)
    reply.settle()
    this.#parts.keep([costOf(reply, this.#run, usage)])
  }
}

const inputRateOf = ({ realtime }: RealtimeRun): number => realtime.inputRate ?? realtime.sampleRate

function costOf(reply: RealtimeReply, run: RealtimeRun, usage: RealtimeUsage): NewEntry {
  const { askedMs, firstMs, overMs, given, isUnwanted } = reply
  const totalMs = (overMs ?? askedMs) - askedMs
  const firstWordMs = firstMs === null ? totalMs : firstMs - askedMs
  const answered = isUnwanted ? 'cut_short' : 'answered'
  return metricsOf({ run, ...usage, firstWordMs, totalMs }, { purpose: given === null ? answered : 'say' })
}
