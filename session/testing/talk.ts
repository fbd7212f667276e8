import type { PreparedSet } from '@switchroom/contract/call-frames'
import type { Entry, NewEntry } from '@switchroom/contract/log'
import type { Conversation, Thought, ToolCall } from '@switchroom/kit/vendor'
import type { CallKnowledge } from '../src/knowledge/call-knowledge.ts'
import { outcomeOf } from '../src/history.ts'
import type { Instructions, ModelRun, ToolOutcome, TurnParts } from '../src/parts.ts'

/** What a model does when it is asked once: it thinks this, fails so, or says nothing until it is aborted. */
export type Deed = readonly (Thought | Error | 'silence')[]

export const says = (...texts: string[]): Thought[] => texts.map((text) => ({ type: 'text', text }))
export const used = (inputTokens: number, outputTokens: number): Thought => {
  return { type: 'usage', inputTokens, outputTokens }
}
export const calls = (name: string, given = '{}', id = `id_of_${name}`): Thought => {
  return { type: 'call', id, name, arguments: given }
}

/** A model that does one deed after the other, the last one for ever. */
export class ScriptedModel implements ModelRun {
  readonly vendor: string
  readonly model: string
  readonly key = 'yours'
  readonly asked: Conversation[] = []
  /** How many of its answers are still being read. */
  open = 0
  readonly #deeds: Deed[]

  constructor(vendor: string, ...deeds: Deed[]) {
    this.vendor = vendor
    this.model = `${vendor}-large`
    this.#deeds = deeds
  }

  think = async function* (this: ScriptedModel, conversation: Conversation, signal: AbortSignal) {
    this.asked.push(structuredClone(conversation))
    const deed = this.#deeds.length > 1 ? this.#deeds.shift() : this.#deeds[0]
    this.open += 1
    try {
      for (const thought of deed ?? []) {
        if (thought instanceof Error) throw thought
        if (thought === 'silence') await aborted(signal)
        else yield thought
      }
    } finally {
      this.open -= 1
    }
  }.bind(this)
}

const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })

export const toolNamed = (name: string) => ({
  name,
  description: `does ${name}`,
  parameters: { type: 'object' },
})

export const plain: Instructions = {
  prompt: 'Be brief.',
  knowledge: null,
  lexicon: { said: [], heard: [] },
  language: null,
  greeting: null,
  hangup: null,
  memory: null,
  facts: [],
  tools: [],
  metadata: {},
  llmTimeoutMs: 5_000,
}

/** A call's log in memory, with everything around a turn. What happened is listed in order in `steps`. */
export class Talk {
  readonly entries: Entry[] = []
  readonly steps: string[] = []
  readonly batches: NewEntry[][] = []
  instructions: Instructions = plain
  models: ModelRun[]
  knowledge: CallKnowledge | undefined
  set: PreparedSet = {}
  /** What the app answers; a tool call that it leaves out gets no result. */
  answerTool: (call: ToolCall) => unknown = () => 'done'
  /** Awaited wherever the turn waits for the outside. */
  before: (step: string) => Promise<void> = async () => {}
  readonly generations: number[] = []
  readonly toolsAsked: { msgId: string; calls: readonly ToolCall[] }[] = []
  #messages = 0

  constructor(...models: ModelRun[]) {
    this.models = models
  }

  add(type: string, data: Record<string, unknown> = {}): this {
    const seq = this.entries.length + 1
    this.entries.push({ seq, ts: seq, call: 'call_1', agent: 'desk', type, ephemeral: false, data })
    return this
  }

  hears(text: string, messageId = `u${this.entries.length + 1}`): this {
    return this.add('user.message', { text, messageId })
  }

  parts(): TurnParts {
    return {
      instructions: this.instructions,
      models: this.models,
      entries: [...this.entries],
      keep: async (entries) => {
        await this.#step(`keep ${entries.map(({ type }) => type).join(' ')}`)
        this.batches.push([...entries])
        for (const { type, data } of entries) this.add(type, structuredClone(data))
      },
      prepare: async (generation) => {
        await this.#step('prepare')
        this.generations.push(generation)
        return this.set
      },
      runTools: async (msgId, asked) => {
        await this.#step(`tools ${asked.map(({ name }) => name).join(' ')}`)
        this.toolsAsked.push({ msgId, calls: asked })
        return asked.flatMap((call) => this.#outcome(call))
      },
      knowledge: this.knowledge,
      newMessageId: () => `m${(this.#messages += 1)}`,
      nowMs: () => performance.now(),
    }
  }

  #outcome(call: ToolCall): ToolOutcome[] {
    const result = this.answerTool(call)
    if (result === undefined) return []
    const { id, name } = call
    const data = { id, name, ok: true, result }
    this.add('tool.result', data)
    return [outcomeOf(data)]
  }

  async #step(step: string) {
    this.steps.push(step)
    await this.before(step)
  }

  /** The data of the entries of a type. */
  of(type: string): Record<string, unknown>[] {
    return this.entries.filter((entry) => entry.type === type).map(({ data }) => data)
  }

  /** What the agent said. */
  get said(): unknown[] {
    return this.of('agent.message').map(({ text }) => text)
  }
}

export const never = new AbortController().signal
