import type { PreparedSet } from '@switchroom/contract/call-frames'
import type { NewEntry } from '@switchroom/contract/log'
import { apologyIn } from '../apologies.ts'
import { Turn } from '../turn.ts'
import type { CallLog } from './call-log.ts'
import { EarlyAnswer } from './early-answer.ts'
import type { RealtimeAnswers } from './realtime/answers.ts'
import type { SpokenParts } from './spoken-parts.ts'
import type { Utterance } from './utterance.ts'

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
    const [model] = this.#parts.models
    this.#early?.drop()
    this.#early = null
    if (text === null || !model) return
    const question = this.#around.log.with({ type: 'user.message', data: { text } })
    const turn = new Turn({ ...this.#parts, entries: question }, AbortSignal.abort())
    this.#early = new EarlyAnswer(model, turn.question(this.#set))
  }

  /** Resolves with whether the agent hung up. */
  async answer(utterance: Utterance, opensWith: string | null): Promise<boolean> {
    const { log, realtime } = this.#around
    const { signal, speech } = utterance
    const early = this.#early
    const model = speech && realtime()?.modelFor(speech, signal)
    this.#early = null
    const parts = {
      ...this.#parts,
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
      early?.drop()
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
