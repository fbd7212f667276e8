import type { Entry } from '@switchroom/contract/log'

/** What waits to be answered: one message, or all that came while a person had the call. */
export interface WaitingTurn {
  /** Its user's turns, oldest first; the newest is the one that an answer names. */
  messages: readonly Entry[]
}

/** The state of a written call, from its log alone: another gateway can continue it. */
export interface CallState {
  isEnded: boolean
  isHeld: boolean
  /** Whether the agent, or a person in its place, has said something. */
  isGreeted: boolean
  waiting: readonly WaitingTurn[]
  /** When anybody last said anything, in epoch seconds. */
  activeAt: number
  /** Whether it was said since then that the call would end for its silence. */
  isWarned: boolean
}

const begins = new Set(['chat.started', 'msgapp.started'])

export function callStateOf(entries: readonly Entry[]): CallState {
  const standing = { isEnded: false, isHeld: false, isGreeted: false }
  let waiting: WaitingTurn[] = []
  let activeAt = 0
  let isWarned = false
  let isUsersNewest = false
  for (const entry of entries) {
    const { type, data, ts } = entry
    if (type === 'call.ended') standing.isEnded = true
    else if (type === 'call.taken_over') standing.isHeld = true
    else if (type === 'call.released') {
      standing.isHeld = false
      waiting = isUsersNewest ? asOne(waiting) : []
    } else if (type === 'session.idleWarning') isWarned = true
    if (type === 'user.message') waiting.push({ messages: [entry] })
    if (type === 'agent.message') standing.isGreeted = true
    if (type === 'agent.message' && data['source'] === 'human' && standing.isHeld) waiting = []
    if (data['answers'] !== undefined) waiting = afterAnswer(waiting, data['answers'])
    const isTurn = type === 'user.message' || type === 'agent.message'
    if (!isTurn && !begins.has(type)) continue
    activeAt = ts
    isWarned = false
    if (isTurn) isUsersNewest = type === 'user.message' || (isModels(entry) && waiting.length > 0)
  }
  return { ...standing, waiting, activeAt, isWarned }
}

/** What a user wrote while a greeting or an answer to something else was made is newer than those words. */
const isModels = ({ data }: Entry) => data['source'] === 'model' || data['answers'] !== undefined

/** After a person let go of the call, the model is asked once over all that waits. */
const asOne = (waiting: readonly WaitingTurn[]): WaitingTurn[] =>
  waiting.length === 0 ? [] : [{ messages: waiting.flatMap(({ messages }) => messages) }]

/** An answer names the newest message that it answers; what came before that is answered with it. */
function afterAnswer(waiting: WaitingTurn[], answers: unknown): WaitingTurn[] {
  const answered = waiting.findIndex(({ messages }) =>
    messages.some(({ data }) => data['messageId'] === answers),
  )
  return waiting.slice(answered + 1)
}

/**
 * The log as a turn reads it: without what came later and waits for a turn of its own. A greeting that was
 * still being made when the first message came stands before it.
 */
export function entriesFor({ messages }: WaitingTurn, entries: readonly Entry[]): Entry[] {
  const newest = messages.at(-1)?.seq ?? 0
  const heard = entries.filter(({ type, seq }) => type !== 'user.message' || seq <= newest)
  const first = heard.find(({ type }) => type === 'user.message')
  const greeting = heard.find(({ type }) => type === 'agent.message')
  if (!first || !greeting || greeting.data['answers'] !== undefined || greeting.seq < first.seq) return heard
  if (greeting.data['source'] === 'human') return heard
  const opened = heard.filter((entry) => entry !== greeting)
  opened.splice(opened.indexOf(first), 0, { ...greeting, seq: first.seq - 0.5 })
  return opened
}
