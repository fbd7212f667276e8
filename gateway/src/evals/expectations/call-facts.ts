import type { CallEnder } from '@switchroom/contract/eval-names'
import type { Entry } from '@switchroom/contract/log'

export interface Message {
  seq: number
  text: string
}

export interface ToolCalled {
  seq: number
  name: string
  /** As the model wrote them; undefined if that is no JSON. */
  arguments: unknown
}

export interface AnswerTime {
  seq: number
  ms: number
}

/** The text of messages, without what a person of the org said in the agent's place. */
export function messagesBy(entries: readonly Entry[], by: 'agent' | 'caller'): Message[] {
  const type = by === 'agent' ? 'agent.message' : 'user.message'
  return entries
    .filter((entry) => entry.type === type && entry.data['source'] !== 'human')
    .map(({ seq, data }) => ({ seq, text: textIn(data['text']) }))
}

export function toolsCalled(entries: readonly Entry[]): ToolCalled[] {
  return entries.flatMap(({ type, seq, data }) => {
    if (type !== 'llm.toolCall' || !Array.isArray(data['toolCalls'])) return []
    const calls = data['toolCalls'] as { name?: unknown; arguments?: unknown }[]
    return calls.map((call) => ({ seq, name: textIn(call.name), arguments: parsed(call.arguments) }))
  })
}

/** From each of the caller's messages to the first words of the agent after it. */
export function answerTimes(entries: readonly Entry[]): AnswerTime[] {
  const times: AnswerTime[] = []
  let askedAt: number | undefined
  for (const { type, seq, ts, data } of entries)
    if (type === 'user.message') askedAt ??= ts
    else if (type === 'agent.message' && data['source'] !== 'human' && askedAt !== undefined) {
      times.push({ seq, ms: Math.max(0, Math.round((ts - askedAt) * 1000)) })
      askedAt = undefined
    }
  return times
}

export function endOf(entries: readonly Entry[]): { seq: number; by: CallEnder } | undefined {
  const end = entries.findLast(({ type }) => type === 'call.ended')
  return end && { seq: end.seq, by: enderOf(end.data) }
}

function enderOf({ reason, by }: Entry['data']): CallEnder {
  if (by === 'caller') return 'caller'
  if (by === 'supervisor') return 'person'
  if (reason === 'idle_timeout' || reason === 'timeout' || reason === 'max_duration') return 'timeout'
  return reason === 'hangup' ? 'agent' : 'failure'
}

export const creditsIn = (entries: readonly Entry[]): number =>
  entries.reduce((sum, { type, data }) => {
    const { credits } = data
    return type === 'metrics' && typeof credits === 'number' ? sum + credits : sum
  }, 0)

export const textIn = (value: unknown) => (typeof value === 'string' ? value : '')

function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value) as unknown
  } catch {
    return undefined
  }
}
