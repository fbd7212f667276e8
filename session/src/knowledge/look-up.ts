import type { FoundPassages, KnowledgeFound } from '@switchroom/contract/knowledge'
import { untilAborted } from '@switchroom/kit/until-aborted'
import { Deadline } from '../deadline.ts'

/** Rejects with a sentence if the base cannot be searched. */
export type SearchBase = (base: string, query: string, signal: AbortSignal) => Promise<FoundPassages>

/** What became of the search of one base. */
export interface Looked {
  passages: FoundPassages['passages']
  /** Without what only the turn knows. */
  found: Omit<KnowledgeFound, 'mode' | 'waited_ms'>
}

export interface LookUpParts {
  base: string
  query: string
  deadlineMs: number
  search: SearchBase
  nowMs: () => number
}

/** Searches a base until the deadline; never rejects but with the reason of `signal`. */
export async function lookUp(parts: LookUpParts, signal: AbortSignal): Promise<Looked> {
  const { base, query, deadlineMs, search, nowMs } = parts
  using deadline = new Deadline(deadlineMs)
  const stop = AbortSignal.any([signal, deadline.signal])
  const startedMs = nowMs()
  const tell = (told: Partial<Looked['found']>, passages: Looked['passages'] = []): Looked => ({
    passages,
    found: {
      base,
      query,
      passages: passages.map(({ chunk, document, name, heading, score }) => {
        return { chunk, document, name, heading, score }
      }),
      best_score: null,
      ms: rounded(nowMs() - startedMs),
      late: false,
      error: null,
      ...told,
    },
  })
  try {
    const { passages, best_score } = await untilAborted(search(base, query, stop), stop)
    return tell({ best_score }, passages)
  } catch (error) {
    signal.throwIfAborted()
    if (deadline.isOver) return tell({ late: true })
    return tell({ error: error instanceof Error ? error.message : String(error) })
  }
}

export const rounded = (ms: number) => Math.round(ms * 10) / 10
