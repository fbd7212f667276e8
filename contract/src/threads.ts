import { Type, type Static } from 'typebox'
import { callStates } from './log.ts'
import { AgentParams } from './settings.ts'
import { nullable, oneOf, wholeNumberText } from './shapes.ts'

/** The most turns of one thread. */
export const mostTurns = 200

/** The most threads of one page. */
export const mostThreads = 100

/** The longest text that the messaging platform takes at once. */
export const longestMessage = 4096

export const ThreadsAsked = Type.Object({
  contact: Type.Optional(Type.String({ description: 'the thread of this one alone' })),
  turns: Type.Optional(
    wholeNumberText(`how many turns of each, 0 to ${mostTurns}; default ${mostTurns}`, {
      minimum: 0,
      maximum: mostTurns,
      default: mostTurns,
    }),
  ),
  after: Type.Optional(Type.String({ description: 'the `next` of the page before' })),
  limit: Type.Optional(
    wholeNumberText(`1 to ${mostThreads} threads; without it and \`after\`, all of them`, {
      minimum: 1,
      maximum: mostThreads,
    }),
  ),
})
export type ThreadsAsked = Static<typeof ThreadsAsked>

export const ThreadParams = Type.Object({ ...AgentParams.properties, contact: Type.String() })

/** The state of a contact's messaging conversation; `none` if there is none. */
export const threadStates = ['none', 'waiting', ...callStates] as const

const ThreadCall = Type.Object({
  call: Type.String(),
  channel: Type.String(),
  started_at: Type.Number(),
  ended_at: nullable(Type.Number()),
  reason: nullable(Type.String({ description: 'why it ended' })),
})

/** How far a message to a contact has come; `sending` also while the messaging platform does not take it. */
export const deliveryStatuses = ['sending', 'sent', 'delivered', 'read', 'failed'] as const

/** Why a message did not reach a contact. */
const deliveryFailure = {
  code: nullable(Type.Integer({ description: "the messaging platform's number for it, such as 131047" })),
  detail: nullable(Type.String({ description: 'its words' })),
}

const Delivery = Type.Object(
  { status: oneOf(deliveryStatuses), ...deliveryFailure },
  { description: 'of a message to the contact; null for anything else, and before it is sent' },
)

const ThreadTurn = Type.Object({
  seq: Type.Integer({ description: "in its call's log" }),
  ts: Type.Number(),
  call: Type.String(),
  who: oneOf(['contact', 'agent', 'supervisor']),
  text: Type.String(),
  delivery: nullable(Delivery),
})

const WaitingMessage = Type.Object({
  ts: Type.Number({ description: 'when it was sent' }),
  text: Type.String(),
})

/** Everything between an agent and one contact. Instants are epoch seconds. */
export const Thread = Type.Object({
  contact: Type.String(),
  name: nullable(Type.String({ description: 'as the messaging platform last named them' })),
  last_at: Type.Number(),
  state: oneOf(threadStates),
  call: nullable(Type.String({ description: 'the messaging call that is open' })),
  window_closes_at: nullable(
    Type.Number({ description: '24 hours after they last wrote: the platform takes nothing later' }),
  ),
  failure: nullable(
    Type.Object(
      { ts: Type.Number(), ...deliveryFailure },
      { description: 'why the newest message to them did not reach them; null if it did' },
    ),
  ),
  unread: nullable(
    Type.Integer({
      description: `what they wrote since you read the thread, of its last ${mostTurns} turns; null for a key without a member`,
    }),
  ),
  calls: Type.Array(ThreadCall, { description: 'oldest first' }),
  turns: Type.Array(ThreadTurn, { description: 'the last ones, oldest first' }),
  waiting: Type.Array(WaitingMessage, {
    description: 'what they wrote while no app held the agent, oldest first',
  }),
})
export type Thread = Static<typeof Thread>

export const ThreadList = Type.Object({
  threads: Type.Array(Thread, { description: 'newest `last_at` first' }),
  next: Type.Optional(
    nullable(Type.String({ description: 'of a page: null on the last one; absent if all were asked for' })),
  ),
})
export type ThreadList = Static<typeof ThreadList>

export const WriteToThread = Type.Object({
  text: Type.String({ description: `1 to ${longestMessage} characters, and not all of them blank` }),
})
export type WriteToThread = Static<typeof WriteToThread>

export const WrittenToThread = Type.Object({
  contact: Type.String(),
  call: Type.String({ description: 'the call whose log has it' }),
})
export type WrittenToThread = Static<typeof WrittenToThread>

export const ReadThread = Type.Object({
  up_to: Type.Optional(
    Type.Number({ description: 'the `ts` of the newest turn that you saw; default: now' }),
  ),
})
export type ReadThread = Static<typeof ReadThread>

export const ReadMark = Type.Object({
  contact: Type.String(),
  read_at: Type.Number({ description: 'what came until then is read; it never moves back' }),
})
export type ReadMark = Static<typeof ReadMark>
