import { Type, type Static } from 'typebox'
import { callStates } from './log.ts'
import { EnvironmentName } from './scope-schemas.ts'
import { anyOf, flagText, nullable, oneOf, wholeNumberText } from './shapes.ts'

/** What a call comes in by. */
export const channels = ['chat', 'web', 'phone', 'msgapp'] as const

/** The most calls of one page. */
export const mostSessions = 100

export const SessionsAsked = Type.Object({
  agent: Type.Optional(Type.String()),
  q: Type.Optional(
    Type.String({ description: "a call's id, the first digits of a number, or words of one turn" }),
  ),
  state: Type.Optional(anyOf(callStates)),
  channel: Type.Optional(anyOf(channels)),
  test: Type.Optional(flagText('the calls of runs of scenarios instead, which are left out otherwise')),
  reason: Type.Optional(Type.String({ description: 'why it ended' })),
  errors: Type.Optional(flagText('true: only calls with errors')),
  from: Type.Optional(wholeNumberText('epoch seconds: only calls opened since then', { minimum: 0 })),
  to: Type.Optional(wholeNumberText('epoch seconds: only calls opened before', { minimum: 0 })),
  after: Type.Optional(Type.String({ description: 'the `next` of the page before' })),
  limit: Type.Optional(
    wholeNumberText(`1 to ${mostSessions}; default 50`, { minimum: 1, maximum: mostSessions, default: 50 }),
  ),
})
export type SessionsAsked = Static<typeof SessionsAsked>

/** The current state of a call. Times are epoch seconds. */
const callHead = {
  call: Type.String(),
  agent: Type.String(),
  env: EnvironmentName,
  channel: Type.String(),
  direction: oneOf(['inbound', 'outbound']),
  from: nullable(Type.String()),
  to: nullable(Type.String()),
  contact: nullable(Type.String({ description: 'whose call it is' })),
  state: oneOf(callStates),
  reason: nullable(Type.String({ description: 'why it ended' })),
  started_at: Type.Number(),
  ended_at: nullable(Type.Number()),
  config_version: nullable(Type.Integer()),
  canary: Type.Boolean(),
  test: Type.Boolean({ description: 'made by a run of scenarios, not by a caller' }),
}

export const Session = Type.Object({
  ...callHead,
  duration_s: nullable(Type.Number()),
  turns: Type.Integer({ description: 'of both sides' }),
  errors: Type.Integer(),
})
export type Session = Static<typeof Session>

export const SessionPage = Type.Object({
  sessions: Type.Array(Session, { description: 'newest first' }),
  next: nullable(Type.String({ description: 'null on the last page' })),
})
export type SessionPage = Static<typeof SessionPage>

/** A position in the log. */
const place = { seq: Type.Integer(), ts: Type.Number({ description: 'epoch seconds' }) }

const Turn = Type.Object({
  ...place,
  who: oneOf(['contact', 'agent', 'supervisor']),
  text: Type.String(),
  messageId: nullable(Type.String()),
})

const ToolAsked = Type.Object({
  id: Type.String(),
  name: Type.String(),
  ok: nullable(Type.Boolean({ description: 'null until it is answered' })),
})

const WentWrong = Type.Object({
  ...place,
  code: Type.String(),
  detail: nullable(Type.String()),
})

const Used = Type.Object({
  stage: Type.String(),
  vendor: Type.String(),
  model: nullable(Type.String()),
  key: nullable(Type.String({ description: 'whose key it ran on' })),
  blocks: Type.Integer({ description: 'how many entries `metrics` are summed here' }),
  amounts: Type.Record(Type.String(), Type.Number(), { description: 'what was used, as `input_tokens`' }),
  credits: Type.Number(),
})

const CallbackWanted = Type.Object({
  ...place,
  number: nullable(Type.String()),
  when: nullable(Type.String()),
  note: nullable(Type.String()),
  via: nullable(Type.String()),
})

/** A call read out of its own log. */
export const CallSummary = Type.Object({
  ...callHead,
  metadata: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
  held_by: nullable(Type.String({ description: 'the supervisor who took it over' })),
  trace_id: nullable(Type.String({ description: 'of its spans in OpenTelemetry; null if it is not traced' })),
  turns: Type.Array(Turn),
  tools: Type.Array(ToolAsked),
  errors: Type.Array(WentWrong),
  usage: Type.Array(Used, { description: 'one of each stage, vendor, model and key' }),
  callbacks: Type.Array(CallbackWanted),
})
export type CallSummary = Static<typeof CallSummary>
