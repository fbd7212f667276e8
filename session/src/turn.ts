import type { PreparedSet } from '@switchroom/contract/call-frames'
import type { NewEntry } from '@switchroom/contract/log'
import { untilAborted } from '@switchroom/kit/until-aborted'
import type { Conversation, Message, ToolCall } from '@switchroom/kit/vendor'
import { inSpan } from '@switchroom/telemetry/tracing'
import { apologyIn } from './apologies.ts'
import { askModels, type Answer, type NoAnswer } from './ask-models.ts'
import {
  generationsIn,
  messagesOf,
  newestUserTurn,
  pendingToolCalls,
  toolCallIds,
  unfinishedTurn,
  unknownOutcome,
  failedTransfersIn,
  whispersIn,
} from './history.ts'
import type { TurnKnowledge } from './knowledge/call-knowledge.ts'
import { queryOf } from './knowledge/search-tools.ts'
import { sayMeanwhile, wordsFor } from './meanwhile.ts'
import { metricsOf } from './metrics.ts'
import type { ToolOutcome, TurnParts } from './parts.ts'
import { systemMessages } from './prompt.ts'
import { recentOf } from './recent.ts'
import { judgeCalls, offeredTools, type JudgedCalls, type OfferedTools } from './tool-calls.ts'
import { switches, vendorsDown } from './vendors-down.ts'

/** After so many rounds of tools the model must answer with what it has. */
const mostRounds = 8

const lastWords = 'The conversation ends after your next words: say them now.'

export interface TurnEnd {
  /** Whether the agent hung up. */
  ends: boolean
}

/**
 * Answers what the user said, or continues an answer that a restart broke off. Rejects with the reason of
 * `signal` once it aborts, and with what `keep` or `runTools` throw; nothing is kept after either.
 */
export const runTurn = (parts: TurnParts, signal: AbortSignal): Promise<TurnEnd> =>
  new Turn(parts, signal).run()

export class Turn {
  readonly #parts: TurnParts
  readonly #signal: AbortSignal
  /** How the model begins the conversation; null in any other turn. */
  readonly #opensWith: string | null
  readonly #messageId: string
  /** The id of the user's message that this turn answers. */
  readonly #answers: unknown
  readonly #offered: OfferedTools
  readonly #usedIds: Set<string>
  readonly #down: Set<string>
  #messages: Message[] = []
  #knowledge: Promise<TurnKnowledge> | undefined
  /** Kept with what the turn keeps next. */
  #unkept: NewEntry[] = []
  #rounds: number
  #generation: number
  /** What was said beside tool calls: the answer, if nothing is said after them. */
  readonly #saidBefore: string[]
  /** Whether the caller was asked for a moment. */
  #hasAskedForTime = false

  constructor(parts: TurnParts, signal: AbortSignal, opensWith: string | null = null) {
    const { entries, instructions } = parts
    const begun = unfinishedTurn(entries)
    this.#parts = parts
    this.#signal = signal
    this.#opensWith = opensWith
    this.#messageId = begun?.msgId ?? parts.newMessageId()
    this.#answers = newestUserTurn(entries)?.data['messageId'] ?? null
    this.#offered = offeredTools(instructions, parts.knowledge?.offered)
    this.#usedIds = toolCallIds(entries)
    this.#down = vendorsDown(entries)
    this.#rounds = begun?.rounds ?? 0
    this.#saidBefore = begun?.said ?? []
    this.#generation = generationsIn(entries)
  }

  async run(): Promise<TurnEnd> {
    this.#parts.voice?.begin(this.#messageId, this.#answers)
    this.#messages = messagesOf(this.#parts.entries, await this.#outcomesBegun())
    for (;;) {
      const isLast = this.#rounds >= mostRounds
      const answer = await this.#generate(isLast ? [] : this.#offered.tools)
      if (answer.type !== 'answered') return this.#apologise(answer)
      const calls = judgeCalls(isLast ? [] : answer.calls, this.#offered, this.#usedIds)
      if (calls.all.length === 0) return this.#finish(answer, false)
      this.#rounds += 1
      const words = answer.text.trim()
      if (calls.hangsUp && calls.asked.length === 0 && (words || this.#saidBefore.length > 0))
        return this.#finish(answer, true)
      await this.#runCalls(answer, calls)
      if (!calls.hangsUp) continue
      if (words) return this.#end(words, [])
      return this.#sayLastWords()
    }
  }

  /** What a model would be asked first, if the app prepared this and this was looked up. Of a turn that is not run. */
  question(set: PreparedSet, quoted: string | null): Conversation {
    this.#messages = messagesOf(this.#parts.entries)
    return this.#conversation(set, this.#offered.tools, quoted)
  }

  /** Tools that were asked before a restart are waited for, never asked anew. */
  async #outcomesBegun(): Promise<ToolOutcome[]> {
    const pending = pendingToolCalls(this.#parts.entries)
    const outcomes = await Promise.all(pending.map(({ msgId, calls }) => this.#runTools(msgId, calls)))
    return outcomes.flat()
  }

  async #generate(tools: OfferedTools['tools']): Promise<Answer | NoAnswer> {
    const { instructions, models, nowMs, voice } = this.#parts
    this.#generation += 1
    const [set, quoted] = await Promise.all([
      this.#unlessAborted(() => this.#parts.prepare(this.#generation)),
      this.#lookedUp(),
    ])
    const asking = { models, timeoutMs: instructions.llmTimeoutMs, nowMs, voice }
    return askModels(asking, this.#conversation(set, tools, quoted), this.#signal)
  }

  /** Once for the whole turn. */
  async #lookedUp(): Promise<string | null> {
    const { knowledge, entries } = this.#parts
    if (!knowledge || this.#opensWith !== null) return null
    if (!this.#knowledge) {
      this.#knowledge = knowledge.forTurn(entries, this.#signal)
      const { entries: found } = await this.#knowledge
      if (found.length > 0) this.#parts.voice?.lookedUp()
      await this.#note(found)
    }
    return (await this.#knowledge).quoted
  }

  /** No model waits until it is in the log. */
  async #note(entries: readonly NewEntry[]) {
    if (this.#parts.voice && entries.length > 0) await this.#keep(entries)
    else this.#unkept.push(...entries)
  }

  #conversation(set: PreparedSet, tools: OfferedTools['tools'], passages: string | null): Conversation {
    const { instructions, entries, knowledge } = this.#parts
    const [whispers, transfers] = [whispersIn(entries), failedTransfersIn(entries)]
    const quoted = { whole: knowledge?.whole ?? null, passages }
    const system = systemMessages(instructions, set, this.#opensWith, whispers, transfers, quoted)
    const messages = [...system, ...recentOf(this.#messages)]
    return { messages, ...(tools.length > 0 && { tools }) }
  }

  /** The calls are kept before anybody is asked, and every one of them gets a result that the model reads. */
  async #runCalls(answer: Answer, { all, asked, searches, refused, hangsUp }: JudgedCalls) {
    const { voice } = this.#parts
    const text = answer.text.trim()
    voice?.rest()
    // what was said aloud is in the message, as far as it was heard
    const entry = { msgId: this.#messageId, toolCalls: asked, ...(text && !hangsUp && !voice && { text }) }
    await this.#keep([
      ...this.#servedBy(answer),
      ...[...refused.values()].map((detail) => error({ code: 'tool_failed', detail })),
      ...(asked.length > 0 ? [{ type: 'llm.toolCall', data: entry }] : []),
    ])
    if (text) this.#saidBefore.push(text)
    const [outcomes, found] = await Promise.all([
      asked.length > 0 ? this.#runAsked(asked, voice !== undefined && text !== '') : [],
      this.#search(searches),
    ])
    const textOf = (id: string) =>
      outcomes.find((outcome) => outcome.id === id)?.text ??
      found.get(id) ??
      refused.get(id) ??
      unknownOutcome
    this.#messages.push(
      { role: 'assistant', text, calls: all },
      ...all.map(({ id, name }): Message => {
        return { role: 'tool', call: id, name, text: name === this.#offered.hangUp ? lastWords : textOf(id) }
      }),
    )
  }

  /** A caller who heard the model say something before the tools, or was asked for a moment, is not asked again. */
  #runAsked(asked: readonly ToolCall[], isHeard: boolean): Promise<ToolOutcome[]> {
    const running = this.#runTools(this.#messageId, asked)
    const words = wordsFor(this.#parts.instructions.tools, asked)
    if (words === undefined || isHeard || this.#hasAskedForTime) return running
    this.#hasAskedForTime = true
    return sayMeanwhile(this.#parts, words, running)
  }

  /** By the id of the tool call, what the model reads. */
  async #search(searches: readonly ToolCall[]): Promise<Map<string, string>> {
    const texts = await Promise.all(
      searches.map(async (call): Promise<[string, string]> => {
        const { knowledge } = this.#parts
        const [base, query] = [this.#offered.baseOf.get(call.name), queryOf(call)]
        if (!knowledge || base === undefined || query === '')
          return [call.id, `Call ${call.name} with a query.`]
        const { text, entries } = await this.#unlessAborted(() => knowledge.search(base, query, this.#signal))
        await this.#note(entries)
        return [call.id, text]
      }),
    )
    return new Map(texts)
  }

  #runTools(msgId: string, calls: readonly ToolCall[]): Promise<ToolOutcome[]> {
    return inSpan('tools', {}, () => this.#unlessAborted(() => this.#parts.runTools(msgId, calls)))
  }

  async #sayLastWords(): Promise<TurnEnd> {
    const answer = await this.#generate([])
    if (answer.type === 'answered') return this.#finish(answer, true)
    const said = this.#saidBefore.join('\n')
    await this.#keep([this.#errorOf(answer), ...(said ? this.#message(said, 'model') : [])])
    return { ends: true }
  }

  async #finish(answer: Answer, ends: boolean): Promise<TurnEnd> {
    const text = answer.text.trim() || this.#saidBefore.join('\n')
    const served = this.#servedBy(answer, text === '' ? { answers: this.#answers } : {})
    if (text !== '') return this.#end(text, served, ends)
    await this.#keep(served)
    return { ends }
  }

  async #end(text: string, before: readonly NewEntry[], ends = true): Promise<TurnEnd> {
    await this.#keep([...before, ...this.#message(text, 'model')])
    return { ends }
  }

  /** A caller who has said nothing is not asked to repeat. */
  async #apologise(answer: NoAnswer): Promise<TurnEnd> {
    const sentence = apologyIn(this.#parts.instructions.language)
    const isOpening = this.#opensWith !== null
    if (!isOpening) this.#parts.voice?.say(sentence, 'say')
    await this.#keep([this.#errorOf(answer), ...(isOpening ? [] : this.#message(sentence, 'say'))])
    return { ends: false }
  }

  #errorOf(answer: NoAnswer): NewEntry {
    const { vendor } = answer
    if (answer.type === 'failed') return error({ code: 'llm_failed', detail: answer.detail, vendor })
    return error({ code: 'llm_timeout', waited_s: Math.round(answer.waitedMs) / 1000, vendor })
  }

  #servedBy(answer: Answer, more: Readonly<Record<string, unknown>> = {}): NewEntry[] {
    return [...switches(this.#down, answer.failed, answer.run.vendor), metricsOf(answer, more)]
  }

  #message(text: string, source: 'model' | 'say'): NewEntry[] {
    if (this.#parts.voice) return []
    const answers = this.#answers === null ? {} : { answers: this.#answers }
    return [{ type: 'agent.message', data: { text, messageId: this.#messageId, source, ...answers } }]
  }

  async #keep(entries: readonly NewEntry[]): Promise<void> {
    const all = [...this.#unkept.splice(0), ...entries]
    await this.#unlessAborted(() => this.#parts.keep(all))
  }

  #unlessAborted<T>(start: () => Promise<T>): Promise<T> {
    this.#signal.throwIfAborted()
    return untilAborted(start(), this.#signal)
  }
}

const error = (data: NewEntry['data']): NewEntry => ({ type: 'error', data })
