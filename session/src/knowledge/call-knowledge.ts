import type { CallBase, KnowledgeFound } from '@switchroom/contract/knowledge'
import type { Entry, NewEntry } from '@switchroom/contract/log'
import { untilAborted } from '@switchroom/kit/until-aborted'
import { inSpan } from '@switchroom/telemetry/tracing'
import { lookUp, rounded, type Looked, type SearchBase } from './look-up.ts'
import { queryIn, wordingOf } from './queries.ts'
import { quotationsOf } from './quotations.ts'

/** A model that searches waits longer than a turn that looks something up by the way. */
const toolDeadlineMs = 5_000

export interface CallKnowledgeParts {
  bases: readonly CallBase[]
  search: SearchBase
  nowMs: () => number
}

/** What was looked up for a turn. */
export interface TurnKnowledge {
  /** For the prompt; null if there is nothing. */
  quoted: string | null
  entries: NewEntry[]
}

const nothing: TurnKnowledge = { quoted: null, entries: [] }

/** What the turn is about, looked up in every base that wants it. */
interface LookUp {
  wording: string
  stop: AbortController
  looked: Promise<Looked[]>
  /** Null before the last of them is there. */
  done: Looked[] | null
}

/** What an agent may look up in a call: ahead of a turn, for a turn, and when its model asks. */
export class CallKnowledge {
  readonly #parts: CallKnowledgeParts
  /** Of what the user seems to have said, for the turn that may begin. */
  #ahead: LookUp | null = null
  #whole: string | null | undefined

  constructor(parts: CallKnowledgeParts) {
    this.#parts = parts
  }

  /** A model that hears for itself answers before its user's words are known: it searches everything itself. */
  searchedByModel(): CallKnowledge {
    const bases = this.#parts.bases.map((base) =>
      base.mode === 'auto' ? { ...base, mode: 'tool' as const } : base,
    )
    return new CallKnowledge({ ...this.#parts, bases })
  }

  /** The documents that every request has, for the prompt; null if there are none. */
  get whole(): string | null {
    this.#whole ??= quotedOr(
      this.#of('whole').flatMap(({ documents }) =>
        documents.map((document) => ({ ...document, heading: [] })),
      ),
    )
    return this.#whole
  }

  /** What the model may search itself. */
  get offered(): readonly CallBase[] {
    return this.#of('tool')
  }

  /** What these entries say is looked up, unless it is already; the passages if they are there, or their promise. */
  ahead(entries: readonly Entry[]): string | null | Promise<string | null> {
    const ahead = this.#begin(entries)
    if (!ahead) return null
    return ahead.done ? quotedIn(ahead.done) : ahead.looked.then(quotedIn)
  }

  /** What the turn is about; nothing for the model's own first words. */
  async forTurn(entries: readonly Entry[], signal: AbortSignal): Promise<TurnKnowledge> {
    const notes = this.#notes(entries)
    const ahead = this.#begin(entries)
    this.#ahead = null // the next turn may speak of other documents in the same words
    if (!ahead) return { ...nothing, entries: notes }
    const { nowMs } = this.#parts
    const sinceMs = nowMs()
    const looked = ahead.done ?? (await inSpan('knowledge', {}, () => untilAborted(ahead.looked, signal)))
    const waited_ms = rounded(nowMs() - sinceMs)
    const found = looked.map((one) => entryOf({ ...one.found, mode: 'auto', waited_ms }))
    return { quoted: quotedIn(looked), entries: [...notes, ...found] }
  }

  /** What the model reads of its own search. */
  async search(
    base: string,
    query: string,
    signal: AbortSignal,
  ): Promise<{ text: string; entries: NewEntry[] }> {
    const { search, nowMs } = this.#parts
    const parts = { base, query, deadlineMs: toolDeadlineMs, search, nowMs }
    const { passages, found } = await inSpan('knowledge', {}, () => lookUp(parts, signal))
    const entries = [entryOf({ ...found, mode: 'tool', waited_ms: found.ms })]
    if (found.late) return { text: 'The search took too long.', entries }
    if (found.error !== null) return { text: `The search failed: ${found.error}`, entries }
    return { text: quotedOr(passages) ?? 'The documents have nothing about this.', entries }
  }

  #of(mode: CallBase['mode']): CallBase[] {
    return this.#parts.bases.filter((base) => base.usable && base.mode === mode)
  }

  #begin(entries: readonly Entry[]): LookUp | null {
    const bases = this.#of('auto')
    const query = bases.length === 0 ? '' : queryIn(entries)
    if (query === '') return null
    const wording = wordingOf(query)
    if (this.#ahead?.wording === wording) return this.#ahead
    this.#ahead?.stop.abort()
    this.#ahead = this.#started(bases, query, wording)
    return this.#ahead
  }

  #started(bases: readonly CallBase[], query: string, wording: string): LookUp {
    const { search, nowMs } = this.#parts
    const stop = new AbortController()
    const looked = Promise.all(
      bases.map(({ base, deadline_ms: deadlineMs }) =>
        lookUp({ base, query, deadlineMs, search, nowMs }, stop.signal),
      ),
    )
    const started: LookUp = { wording, stop, looked, done: null }
    looked.then(
      (all) => (started.done = all),
      () => {}, // other words are looked up
    )
    return started
  }

  /** Said once in a call: why a base is used otherwise than the settings say, or not at all. */
  #notes(entries: readonly Entry[]): NewEntry[] {
    const told = new Set(
      entries.flatMap(({ type, data }) =>
        type === 'knowledge.found' ? [JSON.stringify([data['base'], data['error']])] : [],
      ),
    )
    return this.#parts.bases.flatMap(({ base, note, usable, mode }) => {
      if (note === null || told.has(JSON.stringify([base, note]))) return []
      const about = {
        base,
        mode: usable ? ('whole' as const) : mode,
        query: '',
        passages: [],
        best_score: null,
      }
      return [entryOf({ ...about, ms: 0, waited_ms: 0, late: false, error: note })]
    })
  }
}

const quotedOr = (passages: Parameters<typeof quotationsOf>[0]) =>
  passages.length === 0 ? null : quotationsOf(passages)

const quotedIn = (looked: readonly Looked[]) => quotedOr(looked.flatMap(({ passages }) => passages))

const entryOf = (found: KnowledgeFound): NewEntry => ({ type: 'knowledge.found', data: { ...found } })
