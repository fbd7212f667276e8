import type { CallBase, FoundPassages } from '@switchroom/contract/knowledge'
import { CallKnowledge } from '../src/knowledge/call-knowledge.ts'

export const baseNamed = (base: string, more: Partial<CallBase> = {}): CallBase => ({
  base,
  mode: 'auto',
  description: '',
  deadline_ms: 1_000,
  documents: [],
  note: null,
  usable: true,
  ...more,
})

export const passageOf = (text: string, more: Partial<FoundPassages['passages'][number]> = {}) => ({
  chunk: 'c1',
  base: 'prices',
  document: 'd1',
  name: 'prices.md',
  heading: ['Rooms'],
  text,
  score: 0.8,
  ...more,
})

type Answer = (
  query: string,
  base: string,
  signal: AbortSignal,
) => FoundPassages['passages'] | Promise<FoundPassages['passages']>

/** Bases that find what a test says. */
export class ScriptedBases {
  /** What was searched for, with the base. */
  readonly asked: string[] = []
  readonly knowledge: CallKnowledge

  constructor(answer: Answer, ...bases: CallBase[]) {
    this.knowledge = new CallKnowledge({
      bases,
      nowMs: () => performance.now(),
      search: async (base, query, signal) => {
        this.asked.push(`${base}: ${query}`)
        const passages = await answer(query, base, signal)
        return { passages, best_score: passages[0]?.score ?? null, by: 'words', ms: 1 }
      },
    })
  }
}
