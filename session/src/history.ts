import type { Entry } from '@switchroom/contract/log'
import type { Message, ToolCall } from '@switchroom/kit/vendor'
import { isMeanwhile } from './meanwhile.ts'
import type { ToolOutcome } from './parts.ts'
import { isJsonObject } from './json-object.ts'

/** What the model reads if a tool's outcome is not in the log. */
export const unknownOutcome = 'It is not known what became of this.'

type Fact = Pick<Entry, 'seq' | 'type' | 'data'>

/** The conversation as a model reads it; `outcomes` are those that the entries do not hold yet. */
export function messagesOf(entries: readonly Fact[], outcomes: readonly ToolOutcome[] = []): Message[] {
  const results = new Map(resultsIn(entries).map(({ id, text }) => [id, text]))
  for (const { id, text } of outcomes) results.set(id, text)
  const asked = new Set<string>()
  return inTheirPlaces(entries).flatMap((entry): Message[] => {
    const text = textIn(entry)
    if (entry.type === 'user.message') return text === '' ? [] : [{ role: 'user', text }]
    if (isMeanwhile(entry)) return []
    if (entry.type === 'agent.message') return text === '' ? [] : [{ role: 'assistant', text }]
    if (entry.type !== 'llm.toolCall') return []
    const calls = toolCallsIn(entry).filter(({ id }) => !asked.has(id) && asked.add(id))
    if (calls.length === 0) return text === '' ? [] : [{ role: 'assistant', text }]
    const answers = calls.map(({ id, name }): Message => {
      return { role: 'tool', call: id, name, text: results.get(id) ?? unknownOutcome }
    })
    return [{ role: 'assistant', text, calls }, ...answers]
  })
}

export interface PendingCalls {
  entry: Fact
  msgId: string
  calls: ToolCall[]
}

/** The tool calls of a turn that is not over, those without a result, by the entry that asks them. */
export function pendingToolCalls(entries: readonly Fact[]): PendingCalls[] {
  const answered = new Set(resultsIn(entries).map(({ id }) => id))
  return openToolCalls(entries).flatMap((entry) => {
    const calls = toolCallsIn(entry).filter(({ id }) => !answered.has(id))
    return calls.length === 0 ? [] : [{ entry, msgId: msgIdOf(entry), calls }]
  })
}

/** A turn that asked for tools and has not ended: its message's id, and what it said and asked on the way. */
export function unfinishedTurn(
  entries: readonly Fact[],
): { msgId: string; rounds: number; said: string[] } | null {
  const open = openToolCalls(entries)
  const last = open.at(-1)
  if (!last) return null
  const own = open.filter((entry) => msgIdOf(entry) === msgIdOf(last))
  const said = own.map(textIn).filter((text) => text.trim() !== '')
  return { msgId: msgIdOf(last), rounds: own.length, said }
}

export const newestUserTurn = (entries: readonly Fact[]): Fact | undefined =>
  entries.findLast(({ type }) => type === 'user.message')

/** What a supervisor whispered to the model. */
export const whispersIn = (entries: readonly Fact[]): string[] =>
  entries.filter(({ type }) => type === 'call.whispered').map(textIn)

/** Transfers after which the caller is still here. The far end's own words, in brackets, are left out. */
export const failedTransfersIn = (entries: readonly Fact[]): string[] =>
  entries
    .filter(({ type, data }) => type === 'call.transferred' && data['ok'] === false)
    .map(({ data: { to, why } }) => {
      const words = typeof why === 'string' ? why.replace(/ \(\d{3}.*$/s, '') : 'the reason is not known'
      return `The transfer to ${String(to)} failed: ${words}. The caller is still with you.`
    })

/** How often a model was asked to continue the conversation. */
export const generationsIn = (entries: readonly Fact[]): number =>
  entries.filter(
    (entry) =>
      isModelsError(entry) ||
      (entry.type === 'metrics' && entry.data['stage'] === 'llm' && entry.data['purpose'] === undefined),
  ).length

/** Every id that a tool was ever asked under. */
export const toolCallIds = (entries: readonly Fact[]): Set<string> =>
  new Set(entries.flatMap((entry) => toolCallsIn(entry).map(({ id }) => id)))

/** As a `tool.result` entry has it. */
export function outcomeOf({ id, name, ok, result }: Entry['data']): ToolOutcome {
  const text = typeof result === 'string' ? result : JSON.stringify(result ?? null)
  return { id: String(id), name: String(name), ok: ok === true, text }
}

/** The first result counts: a second one came too late. */
function resultsIn(entries: readonly Fact[]): ToolOutcome[] {
  return entries
    .filter(({ type }) => type === 'tool.result')
    .map(({ data }) => outcomeOf(data))
    .toReversed()
}

/** What a user wrote while an answer was made is before it in the log, and is read after it. */
function inTheirPlaces(entries: readonly Fact[]): Fact[] {
  const users = entries.filter(({ type }) => type === 'user.message')
  const nextAfter = new Map(users.map(({ data }, index) => [data['messageId'], users[index + 1]?.seq]))
  const answers = new Map<unknown, unknown>()
  for (const { type, data } of entries)
    if (type === 'agent.message' && data['answers'] !== undefined)
      answers.set(data['messageId'], data['answers'])
  const placeOf = ({ seq, type, data }: Fact) => {
    const answered = type === 'llm.toolCall' ? answers.get(data['msgId']) : data['answers']
    const next = answered === undefined ? undefined : nextAfter.get(answered)
    return next !== undefined && next < seq ? next - 0.5 : seq
  }
  return entries
    .map((entry) => ({ entry, place: placeOf(entry) }))
    .toSorted((a, b) => a.place - b.place || a.entry.seq - b.entry.seq)
    .map(({ entry }) => entry)
}

/** What the app says on its own answers nothing. */
const isAnswer = ({ type, data }: Fact) => type === 'agent.message' && data['source'] !== 'say'

const isModelsError = ({ type, data }: Fact) =>
  type === 'error' && (data['code'] === 'llm_timeout' || data['code'] === 'llm_failed')

function openToolCalls(entries: readonly Fact[]): Fact[] {
  const end = entries.findLastIndex(
    (entry) => isAnswer(entry) || isModelsError(entry) || entry.data['answers'] !== undefined,
  )
  return entries.slice(end + 1).filter(({ type }) => type === 'llm.toolCall')
}

export function toolCallsIn({ type, data }: Fact): ToolCall[] {
  if (type !== 'llm.toolCall' || !Array.isArray(data['toolCalls'])) return []
  return (data['toolCalls'] as Partial<ToolCall>[]).flatMap(({ id, name, arguments: given }) => {
    if (typeof id !== 'string' || typeof name !== 'string') return []
    return [{ id, name, arguments: typeof given === 'string' && isJsonObject(given) ? given : '{}' }]
  })
}

const msgIdOf = ({ data }: Fact) => String(data['msgId'])

const textIn = ({ data }: Fact) => (typeof data['text'] === 'string' ? data['text'] : '')
