import type { Entry } from '@switchroom/contract/log'
import type { CallSummary } from '@switchroom/contract/sessions'

/** What of a call its entries tell. */
export type Told = Pick<
  CallSummary,
  'state' | 'reason' | 'ended_at' | 'held_by' | 'turns' | 'tools' | 'errors' | 'usage' | 'callbacks'
>

/** How a call stands after further entries of its log: read in one go or page by page, it comes to the same. */
export function toldAfter(before: Told, entries: readonly Entry[]): Told {
  const told = {
    ...before,
    turns: [...before.turns],
    tools: [...before.tools],
    errors: [...before.errors],
    usage: [...before.usage],
    callbacks: [...before.callbacks],
  }
  for (const entry of entries) readers.get(entry.type)?.(told, entry)
  return told
}

type Read = (told: Told, entry: Entry) => void

const byType: Readonly<Record<string, Read>> = {
  'user.message': (told, entry) => told.turns.push(turnOf(entry, 'contact')),
  'agent.message': (told, entry) =>
    told.turns.push(turnOf(entry, entry.data['source'] === 'human' ? 'supervisor' : 'agent')),

  'llm.toolCall'(told, { data }) {
    for (const call of listIn(data['toolCalls']))
      answered(told, textIn(call['id']), textIn(call['name']), null)
  },
  'tool.result': (told, { data: { id, name, ok } }) =>
    answered(told, textIn(id), textIn(name), typeof ok === 'boolean' ? ok : null),

  error: (told, { seq, ts, data }) =>
    told.errors.push({ seq, ts, code: textIn(data['code']), detail: textOrNull(data['detail']) }),

  metrics(told, { data }) {
    if (data['stage'] !== 'turn') used(told, data) // how long a turn took is no vendor's work
  },

  'callback.requested': (told, { seq, ts, data }) =>
    told.callbacks.push({
      seq,
      ts,
      number: textOrNull(data['number']),
      when: textOrNull(data['when']),
      note: textOrNull(data['note']),
      via: textOrNull(data['via']),
    }),

  'call.taken_over': (told, { data }) =>
    void Object.assign(told, { state: 'held', held_by: textOrNull(data['by']) } satisfies Partial<Told>),
  'call.released': (told) =>
    void Object.assign(told, { state: 'open', held_by: null } satisfies Partial<Told>),
  'call.ended': (told, { ts, data }) =>
    void Object.assign(told, {
      state: 'ended',
      held_by: null,
      ended_at: ts,
      reason: textOrNull(data['reason']),
    } satisfies Partial<Told>),
}
const readers = new Map(Object.entries(byType)) // a type may have any name, `constructor` too

const turnOf = ({ seq, ts, data }: Entry, who: Told['turns'][number]['who']) => ({
  seq,
  ts,
  who,
  text: textIn(data['text']),
  messageId: textOrNull(data['messageId']),
})

/** The first answer counts; one that nobody asked for in this log stands there all the same. */
function answered(told: Told, id: string, name: string, ok: boolean | null) {
  const at = told.tools.findIndex((tool) => tool.id === id)
  const known = told.tools[at]
  if (!known) told.tools.push({ id, name, ok })
  else if (known.ok === null) told.tools[at] = { ...known, ok }
}

function used(told: Told, { stage, vendor, model, key, credits, ...rest }: Entry['data']) {
  const block = {
    stage: textIn(stage),
    vendor: textIn(vendor),
    model: textOrNull(model),
    key: textOrNull(key),
  }
  const at = told.usage.findIndex(
    (sum) =>
      sum.stage === block.stage &&
      sum.vendor === block.vendor &&
      sum.model === block.model &&
      sum.key === block.key,
  )
  const sum = told.usage[at] ?? { ...block, blocks: 0, amounts: {}, credits: 0 }
  const amounts = new Map(Object.entries(sum.amounts))
  for (const [name, value] of Object.entries(rest))
    if (isAmount(name, value)) amounts.set(name, (amounts.get(name) ?? 0) + value)
  told.usage.splice(at === -1 ? told.usage.length : at, 1, {
    ...block,
    blocks: sum.blocks + 1,
    amounts: Object.fromEntries(amounts),
    credits: sum.credits + (typeof credits === 'number' ? credits : 0),
  })
}

/** How long something took adds up to nothing. */
const isAmount = (name: string, value: unknown): value is number =>
  typeof value === 'number' && !name.endsWith('_ms')

const textIn = (value: unknown) => (typeof value === 'string' ? value : '')
const textOrNull = (value: unknown) => (typeof value === 'string' ? value : null)
const listIn = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : []
