import { Type, type Static } from 'typebox'
import { Acknowledges } from './apps.ts'
import type { Call } from './log.ts'

// Frames on the app socket that speak of calls. Gateway to app: every event as `EventFrame`, and
// the three after it. App to gateway: the rest.

/** Gateway to app: something happened in a call that the app drives. */
export interface EventFrame {
  /** The event's name, as `user.message`. */
  type: string
  agent: string
  /** The call's id. */
  call: string
  /** For apps that acknowledge: the entry's place in the call's log. What is not stored has none. */
  seq?: number
  /** True if another event of the same entry follows, of another type: the entry is acknowledged after that one. */
  more?: true
  /** The event's payload; a Call is `data.call`, a session `data.session`. */
  data: Record<string, unknown>
}

/** Gateway to app: the call was handled on another socket; its events now come to this one. */
export interface CallPassed {
  type: 'call.passed'
  agent: string
  call: string
  data: { call: Call }
}

/** Gateway to app: before a generation, which waits until the app has answered `preparing.settled`. */
export interface CallPreparing {
  type: 'call.preparing'
  agent: string
  call: string
  data: { call: Call; turn: number; budgetMs: number }
}

/** Gateway to app: what the app sent under this call and id is kept, and need not be sent again. */
export interface ToolReceived {
  type: 'tool.received'
  call: string
  id: string
}

const CallId = Type.String({ minLength: 1, maxLength: 128 })
const AnyValue = Type.Unsafe<unknown>({})

export const Say = Type.Object({ type: Type.Literal('call.say'), call: CallId, text: Type.String() })
export type Say = Static<typeof Say>

export const EndCall = Type.Object({ type: Type.Literal('call.end'), call: CallId })
export type EndCall = Static<typeof EndCall>

export const RequestCallback = Type.Object({
  type: Type.Literal('call.callback'),
  call: CallId,
  number: Type.String(),
  when: Type.Optional(Type.String()),
  note: Type.Optional(Type.String()),
})
export type RequestCallback = Static<typeof RequestCallback>

export const OptOut = Type.Object({ type: Type.Literal('call.opt_out'), call: CallId })
export type OptOut = Static<typeof OptOut>

/** Sends the caller on: `warm` brings the other person into the call first, `cold` has the carrier dial them. */
export const TransferCall = Type.Object({
  type: Type.Literal('call.transfer'),
  call: CallId,
  to: Type.String(),
  kind: Type.Unsafe<'warm' | 'cold'>({ type: 'string', enum: ['warm', 'cold'] }),
  request: Type.Optional(
    Type.String({ maxLength: 64, description: "the app's own name for this, which a refusal of it repeats" }),
  ),
})
export type TransferCall = Static<typeof TransferCall>

/** Presses keys down the line of a phone call. */
export const SendTones = Type.Object({
  type: Type.Literal('call.tones'),
  call: CallId,
  digits: Type.String({ pattern: '^[0-9A-D*#]{1,32}$' }),
})
export type SendTones = Static<typeof SendTones>

/** Exactly one of `result` and `error`; sent again after a reconnect until it is received. */
export const ToolResult = Type.Object({
  type: Type.Literal('tool.result'),
  call: CallId,
  id: Type.String({ minLength: 1, maxLength: 256 }),
  result: Type.Optional(AnyValue),
  error: Type.Optional(Type.String()),
})
export type ToolResult = Static<typeof ToolResult>

/** What a `call.preparing` handler changed: what it leaves out stays as it was. */
export const PreparedSet = Type.Object({
  prompt: Type.Optional(Type.String({ description: 'in place of the prompt the class declares' })),
  context: Type.Optional(Type.String({ description: 'read by the model after the prompt' })),
  metadata: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
  ),
})
export type PreparedSet = Static<typeof PreparedSet>

export const PreparingSettled = Type.Object({
  type: Type.Literal('preparing.settled'),
  call: CallId,
  turn: Type.Integer(),
  set: Type.Optional(PreparedSet),
})
export type PreparingSettled = Static<typeof PreparingSettled>

export const RegisterLine = Type.Object({
  type: Type.Literal('line.register'),
  number: Type.String(),
  extensionMs: Type.Optional(Type.Integer()),
  acknowledges: Acknowledges,
})
export type RegisterLine = Static<typeof RegisterLine>

export const RouteCall = Type.Object({
  type: Type.Literal('call.route'),
  call: CallId,
  agent: Type.String(),
})
export type RouteCall = Static<typeof RouteCall>

/** Of every call, each event up to `seq` has reached its handlers. Calls that this socket no longer gets are ignored. */
export const AckEvents = Type.Object({
  type: Type.Literal('events.ack'),
  calls: Type.Array(Type.Object({ call: CallId, seq: Type.Integer({ minimum: 1 }) }), { maxItems: 1000 }),
})
export type AckEvents = Static<typeof AckEvents>

/** By the type of the frame. */
export const callFrames = {
  'call.say': Say,
  'call.end': EndCall,
  'call.callback': RequestCallback,
  'call.opt_out': OptOut,
  'call.transfer': TransferCall,
  'call.tones': SendTones,
  'tool.result': ToolResult,
  'preparing.settled': PreparingSettled,
} as const
export type CallFrame =
  | Say
  | EndCall
  | RequestCallback
  | OptOut
  | TransferCall
  | SendTones
  | ToolResult
  | PreparingSettled
