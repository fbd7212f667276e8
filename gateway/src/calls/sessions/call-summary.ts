import type { Entry } from '@switchroom/contract/log'
import type { CallSummary } from '@switchroom/contract/sessions'

/** The part of a call's summary that comes from its entries. */
export type LogSummary = Pick<
  CallSummary,
  'state' | 'reason' | 'ended_at' | 'held_by' | 'turns' | 'tools' | 'errors' | 'usage' | 'callbacks'
>

/** The summary after further entries of the log, which may come in pages. */
export function summaryAfter(before: LogSummary, entries: readonly Entry[]): LogSummary {
  const summary = {
    ...before,
    turns: [...before.turns],
    tools: [...before.tools],
    errors: [...before.errors],
    usage: [...before.usage],
    callbacks: [...before.callbacks],
  }
  for (const entry of entries) readers.get(entry.type)?.(summary, entry)
  return summary
}

/** Stages that no vendor is used in: how long a turn took, and how the line was. */
const measured: ReadonlySet<unknown> = new Set(['turn', 'line'])

type Read = (summary: LogSummary, entry: Entry) => void

const byType: Readonly<Record<string, Read>> = {
  'user.message': (summary, entry) => summary.turns.push(turnOf(entry, 'contact')),
  'agent.message': (summary, entry) =>
    summary.turns.push(turnOf(entry, entry.data['source'] === 'human' ? 'supervisor' : 'agent')),

  'llm.toolCall'(summary, { data }) {
    for (const call of listIn(data['toolCalls']))
      answered(summary, textIn(call['id']), textIn(call['name']), null)
  },
  'tool.result': (summary, { data: { id, name, ok } }) =>
    answered(summary, textIn(id), textIn(name), typeof ok === 'boolean' ? ok : null),

  error: (summary, { seq, ts, data }) =>
    summary.errors.push({ seq, ts, code: textIn(data['code']), detail: textOrNull(data['detail']) }),

  metrics(summary, { data }) {
    if (!measured.has(data['stage'])) used(summary, data)
  },

  'callback.requested': (summary, { seq, ts, data }) =>
    summary.callbacks.push({
      seq,
      ts,
      number: textOrNull(data['number']),
      when: textOrNull(data['when']),
      note: textOrNull(data['note']),
      via: textOrNull(data['via']),
    }),

  'call.taken_over': (summary, { data }) =>
    void Object.assign(summary, {
      state: 'held',
      held_by: textOrNull(data['by']),
    } satisfies Partial<LogSummary>),
  'call.released': (summary) =>
    void Object.assign(summary, { state: 'open', held_by: null } satisfies Partial<LogSummary>),
  'call.ended': (summary, { ts, data }) =>
    void Object.assign(summary, {
      state: 'ended',
      held_by: null,
      ended_at: ts,
      reason: textOrNull(data['reason']),
    } satisfies Partial<LogSummary>),
}
const readers = new Map(Object.entries(byType)) // a type may have any name, `constructor` too

const turnOf = ({ seq, ts, data }: Entry, who: LogSummary['turns'][number]['who']) => ({
  seq,
  ts,
  who,
  text: textIn(data['text']),
  messageId: textOrNull(data['messageId']),
})

/** The first answer counts; an answer without a tool call in this log is listed too. */
function answered(summary: LogSummary, id: string, name: string, ok: boolean | null) {
  const at = summary.tools.findIndex((tool) => tool.id === id)
  const known = summary.tools[at]
  if (!known) summary.tools.push({ id, name, ok })
  else if (known.ok === null) summary.tools[at] = { ...known, ok }
}

function used(summary: LogSummary, { stage, vendor, model, key, credits, ...rest }: Entry['data']) {
  const block = {
    stage: textIn(stage),
    vendor: textIn(vendor),
    model: textOrNull(model),
    key: textOrNull(key),
  }
  const at = summary.usage.findIndex(
    (sum) =>
      sum.stage === block.stage &&
      sum.vendor === block.vendor &&
      sum.model === block.model &&
      sum.key === block.key,
  )
  const sum = summary.usage[at] ?? { ...block, blocks: 0, amounts: {}, credits: 0 }
  const amounts = new Map(Object.entries(sum.amounts))
  for (const [name, value] of Object.entries(rest))
    if (isAmount(name, value)) amounts.set(name, (amounts.get(name) ?? 0) + value)
  summary.usage.splice(at === -1 ? summary.usage.length : at, 1, {
    ...block,
    blocks: sum.blocks + 1,
    amounts: Object.fromEntries(amounts),
    credits: sum.credits + (typeof credits === 'number' ? credits : 0),
  })
}

/** Durations are not summed. */
const isAmount = (name: string, value: unknown): value is number =>
  typeof value === 'number' && !name.endsWith('_ms')

const textIn = (value: unknown) => (typeof value === 'string' ? value : '')
const textOrNull = (value: unknown) => (typeof value === 'string' ? value : null)
const listIn = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : []
