import type { Entry } from '@switchroom/contract/log'
import { isMeanwhile } from '@switchroom/session/meanwhile'

/** An unanswered turn: one message, or all that came while a person had the call. */
export interface WaitingTurn {
  /** Oldest first; an answer names the newest. */
  messages: readonly Entry[]
}

/** A written call's state, from its log alone, so that any gateway can continue the call. */
export interface WrittenCallState {
  isEnded: boolean
  isHeld: boolean
  /** Whether the agent, or a person in its place, has said something. */
  isGreeted: boolean
  waiting: readonly WaitingTurn[]
  /** When the last message came, in epoch seconds. */
  activeAt: number
  /** Whether the idle warning was logged since then. */
  isWarned: boolean
}

const startTypes = new Set(['chat.started', 'msgapp.started'])

export function stateOf(entries: readonly Entry[]): WrittenCallState {
  const state = { isEnded: false, isHeld: false, isGreeted: false }
  let waiting: WaitingTurn[] = []
  let activeAt = 0
  let isWarned = false
  let isUsersNewest = false
  for (const entry of entries) {
    const { type, data, ts } = entry
    if (type === 'call.ended') state.isEnded = true
    else if (type === 'call.taken_over') state.isHeld = true
    else if (type === 'call.released') {
      state.isHeld = false
      waiting = isUsersNewest ? asOne(waiting) : []
    } else if (type === 'session.idleWarning') isWarned = true
    if (type === 'user.message') waiting.push({ messages: [entry] })
    if (type === 'agent.message') state.isGreeted = true
    if (type === 'agent.message' && data['source'] === 'human' && state.isHeld) waiting = []
    if (data['answers'] !== undefined) waiting = afterAnswer(waiting, data['answers'])
    const isTurn = type === 'user.message' || type === 'agent.message'
    if (!isTurn && !startTypes.has(type)) continue
    activeAt = ts
    isWarned = false
    if (isTurn) isUsersNewest = type === 'user.message' || (isModels(entry) && waiting.length > 0)
  }
  return { ...state, waiting, activeAt, isWarned }
}

/** A user's message that came while the model was generating counts as newer than that generation's text. */
const isModels = (entry: Entry) =>
  entry.data['source'] === 'model' || entry.data['answers'] !== undefined || isMeanwhile(entry)

/** After a person releases the call, the model answers all waiting messages at once. */
const asOne = (waiting: readonly WaitingTurn[]): WaitingTurn[] =>
  waiting.length === 0 ? [] : [{ messages: waiting.flatMap(({ messages }) => messages) }]

/** An answer names the newest message that it answers, and answers all before it. */
function afterAnswer(waiting: WaitingTurn[], answers: unknown): WaitingTurn[] {
  const answered = waiting.findIndex(({ messages }) =>
    messages.some(({ data }) => data['messageId'] === answers),
  )
  return waiting.slice(answered + 1)
}

/**
 * The log as a turn reads it: without later messages, which wait for turns of their own. A greeting that was
 * still being generated when the first message came is put before it.
 */
export function entriesFor({ messages }: WaitingTurn, entries: readonly Entry[]): Entry[] {
  const newest = messages.at(-1)?.seq ?? 0
  const heard = entries.filter(({ type, seq }) => type !== 'user.message' || seq <= newest)
  const first = heard.find(({ type }) => type === 'user.message')
  const greeting = heard.find((entry) => entry.type === 'agent.message' && !isMeanwhile(entry))
  if (!first || !greeting || greeting.data['answers'] !== undefined || greeting.seq < first.seq) return heard
  if (greeting.data['source'] === 'human') return heard
  const opened = heard.filter((entry) => entry !== greeting)
  opened.splice(opened.indexOf(first), 0, { ...greeting, seq: first.seq - 0.5 })
  return opened
}
