import type { PreparedSet } from '@switchroom/contract/call-frames'
import type { Entry, NewEntry } from '@switchroom/contract/log'
import { activePlace, runAt } from '@switchroom/telemetry/tracing'
import { apologyIn } from '../apologies.ts'
import type { ModelRun } from '../parts.ts'
import { Turn } from '../turn.ts'
import type { CallLog } from './call-log.ts'
import { EarlyAnswer } from './early-answer.ts'
import type { RealtimeAnswers } from './realtime/answers.ts'
import type { SpokenParts } from './spoken-parts.ts'
import type { Utterance } from './utterance.ts'

/** After so many answers in a row that were generated ahead for nothing, none is in this call unless a vendor says so. */
const mostUnused = 3

export interface ModelAnswersParts {
  log: CallLog
  /** Null if a model thinks and a voice speaks. */
  realtime: () => RealtimeAnswers | null
  /** Entries come after those that they follow from. */
  inOrder: (act: () => void) => void
}

/** What the model answers, and what it might answer before it is asked. */
export class ModelAnswers {
  readonly #around: ModelAnswersParts
  #parts: SpokenParts
  /** What would be answered if the turn ended with what was heard so far. */
  #early: EarlyAnswer | null = null
  /** What a model is about to be asked ahead, as soon as it is looked up. */
  #thinking: symbol | null = null
  #unusedInARow = 0
  /** Of the call. What is heard comes in events of its sound, which run elsewhere. */
  readonly #place = activePlace()
  /** What the app had prepared when it was last asked. */
  #set: PreparedSet = {}

  constructor(parts: SpokenParts, around: ModelAnswersParts) {
    this.#parts = parts
    this.#around = around
  }

  /** Another agent has the call. */
  use(parts: SpokenParts) {
    this.#parts = parts
    this.#set = {}
    this.foresee(null)
  }

  /** Thought about, and neither said nor logged; null to think about nothing. */
  foresee(text: string | null) {
    this.#think(text, Infinity)
  }

  /** The same on a guess of our own, as long as the guesses are good. */
  expect(text: string | null) {
    this.#think(text, mostUnused)
  }

  #think(text: string | null, most: number) {
    const [model] = this.#parts.models
    if (text === null || !model) return this.#forget()
    const entries = this.#around.log.with({ type: 'user.message', data: { text } })
    const quoted = this.#parts.knowledge?.ahead(entries) ?? null
    this.#thinking = null
    if (!(quoted instanceof Promise)) return this.#thinkOf(model, entries, quoted, most)
    const thinking = (this.#thinking = Symbol('what the caller seems to have said'))
    void this.#thinkOnce(quoted, (found) => {
      if (this.#thinking === thinking) this.#thinkOf(model, entries, found, most)
    })
  }

  async #thinkOnce(looked: Promise<string | null>, think: (found: string | null) => void) {
    const found = await looked.catch(() => undefined) // they have said more since
    if (found !== undefined) think(found)
  }

  #thinkOf(model: ModelRun, entries: readonly Entry[], quoted: string | null, most: number) {
    const turn = new Turn({ ...this.#parts, entries }, AbortSignal.abort())
    const question = turn.question(this.#set, quoted)
    if (this.#early?.answers(question)) return
    this.#forget()
    if (this.#unusedInARow < most) this.#early = runAt(this.#place, () => new EarlyAnswer(model, question))
  }

  /** The caller pauses: what they have said so far is looked up, in case it is all. */
  lookUpAhead(text: string) {
    const { knowledge } = this.#parts
    if (!knowledge) return
    const looked = knowledge.ahead(this.#around.log.with({ type: 'user.message', data: { text } }))
    if (looked instanceof Promise) looked.catch(() => {}) // they have said more since
  }

  #forget() {
    this.#thinking = null
    if (this.#early) this.#account(this.#early)
    this.#early = null
  }

  /** What a vendor was asked is in the usage, whether anybody heard it or not. */
  #account(early: EarlyAnswer) {
    const unused = early.drop()
    if (early.isTaken) this.#unusedInARow = 0
    if (!unused) return
    this.#unusedInARow += 1
    const { vendor, model, key } = early.run
    const { inputTokens: input_tokens, outputTokens: output_tokens, isEstimated } = unused
    const usage = { input_tokens, output_tokens, ...(isEstimated && { estimated: true }) }
    this.#write([{ type: 'metrics', data: { stage: 'llm', purpose: 'early', vendor, model, key, ...usage } }])
  }

  /** Resolves with whether the agent hung up. */
  async answer(utterance: Utterance, opensWith: string | null): Promise<boolean> {
    const { log, realtime } = this.#around
    const { signal, speech } = utterance
    const early = this.#early
    const model = speech && realtime()?.modelFor(speech, signal)
    const { knowledge } = this.#parts
    this.#early = this.#thinking = null
    const parts = {
      ...this.#parts,
      knowledge: model ? knowledge?.searchedByModel() : knowledge,
      models: model ? [model] : this.#parts.models.map((run) => early?.of(run) ?? run),
      prepare: async (generation: number) => (this.#set = await this.#parts.prepare(generation)),
      entries: realtime()?.entries(log) ?? log.entries,
      // speech does not wait until an entry is kept; a lost one ends the call
      keep: async (entries: readonly NewEntry[]) => this.#write(entries),
      runTools: this.#runTools,
      voice: utterance,
    }
    try {
      const { ends } = await new Turn(parts, signal, opensWith).run()
      return ends
    } catch (error) {
      if (signal.aborted) return false
      const detail = error instanceof Error ? error.message : String(error)
      this.#write([{ type: 'error', data: { code: 'llm_failed', detail } }])
      utterance.say(apologyIn(this.#parts.instructions.language), 'say')
      return false
    } finally {
      if (early) this.#account(early)
    }
  }

  readonly #runTools: SpokenParts['runTools'] = async (msgId, calls) => {
    await new Promise<void>((resolve) => this.#around.inOrder(resolve))
    const outcomes = await this.#parts.runTools(msgId, calls)
    const results = outcomes.map(({ id, name, ok, text }) => ({ id, name, ok, result: text }))
    for (const data of results) this.#around.log.note({ type: 'tool.result', data })
    return outcomes
  }

  #write(entries: readonly NewEntry[]) {
    this.#around.inOrder(() => this.#around.log.write(entries))
  }
}
