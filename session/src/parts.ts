import type { PreparedSet } from '@switchroom/contract/call-frames'
import type { Entry, NewEntry } from '@switchroom/contract/log'
import type { Greeting, Lexicon } from '@switchroom/contract/settings'
import type { Model, Tool, ToolCall } from '@switchroom/kit/vendor'
import type { CallKnowledge } from './knowledge/call-knowledge.ts'

/** A model that a call may be answered by. */
export interface ModelRun {
  vendor: string
  model: string
  /** Whose key it runs on; the org pays if it is lent. */
  key: 'yours' | 'lent' | 'none'
  think: Model['think']
  connect?: () => Promise<void>
}

/** The instructions an agent has before anything is said, and how long a caller waits. */
export interface Instructions {
  /** Of the class that holds the agent. */
  prompt: string | null
  knowledge: string | null
  lexicon: Lexicon
  language: string | null
  greeting: Greeting | null
  hangup: { when: string } | null
  memory: { remember: readonly string[]; forget: readonly string[] } | null
  /** What is known of the contact from before. */
  facts: readonly Fact[]
  tools: readonly AgentTool[]
  /** What whoever opened the call said about it: its names stand in braces in the prompt. */
  metadata: Readonly<Record<string, unknown>>
  llmTimeoutMs: number
}

export interface AgentTool extends Tool {
  /** Said if it takes longer than a second. */
  while?: string
}

export interface Fact {
  id: string
  text: string
}

/** What became of a tool that the model asked for. */
export interface ToolOutcome {
  id: string
  name: string
  ok: boolean
  /** What the model reads. */
  text: string
}

/** Where a turn runs: everything that happens outside the conversation itself. */
export interface TurnParts {
  instructions: Instructions
  /** In the order in which they are tried; at least one. */
  models: readonly ModelRun[]
  /** The log of the call so far, without what is never kept. */
  entries: readonly Entry[]
  /**
   * Resolves once the entries are kept, all or none. What is refused ends the turn. It adds what only the
   * keeper knows: the price to `metrics`, the app that is asked to `llm.toolCall`.
   */
  keep: (entries: readonly NewEntry[]) => Promise<void>
  /** Before a generation, which is counted from 1 over the whole call: what the app changed, and what it had changed before. */
  prepare: (generation: number) => Promise<PreparedSet>
  /** Asks the app. Every call is answered, also one that failed or ran out of time; never asked twice under one id. */
  runTools: (msgId: string, calls: readonly ToolCall[]) => Promise<ToolOutcome[]>
  /** What the agent may look up; absent if it has no documents. */
  knowledge?: CallKnowledge | undefined
  newMessageId: () => string
  /** For durations. */
  nowMs: () => number
  /** Set in spoken calls: then the turn writes no `agent.message`, but the code that plays it, as far as it was heard. */
  voice?: TurnVoice
}

/** Takes the words of a turn while the model still speaks. */
export interface TurnVoice {
  /** Before the first word: under which id the answer is known, and which message of the user it answers. */
  begin: (messageId: string, answers: unknown) => void
  /** What the turn is about has been looked up, or was late. */
  lookedUp: () => void
  say: (text: string, source: 'model' | 'say') => void
  /** Said while a tool runs, unless the model speaks for itself. */
  meanwhile: (text: string) => void
  /** The model broke off and another begins anew: what was not heard yet is not said. */
  takeBack: () => void
  /** Nothing more comes for a while: what waits for the rest of its sentence is said. */
  rest: () => void
}
