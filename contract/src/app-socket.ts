import { Type, type TSchema } from 'typebox'
import { appEvents, CallShape } from './app-events.ts'
import { RegisterAgent, UnregisterAgent, type AppErrorCode } from './apps.ts'
import { AckEvents, callFrames, RegisterLine, RouteCall } from './call-frames.ts'
import { ChatEnd, ChatMessage } from './chat.ts'
import { lineErrorCodes, routeFailures } from './lines.ts'
import { EnvironmentName } from './scope-schemas.ts'
import { nullable, oneOf } from './shapes.ts'

// Every frame of the app socket and of the chat socket, by its type: docs/asyncapi.json is made of them.

export const appErrorCodes = [
  'BAD_FRAME',
  'AGENT_NOT_ALLOWED',
  'MODEL_NOT_ALLOWED',
  'PROVIDER_KEY_REQUIRED',
  'QUOTA_EXCEEDED',
  'INTERNAL_ERROR',
  'AGENT_HELD',
] as const satisfies readonly AppErrorCode[]

const Sentence = Type.String({ description: 'one sentence a person can act on' })
const Line = Type.String({ description: "the line's number: the frame is for the line, not for the agent" })
const Seq = Type.Integer({
  description: "the log's cursor: a client that reconnects asks for what came after it",
})

/** A frame about a call. */
const about = <Name extends string, Data extends TSchema>(type: Name, data: Data) =>
  Type.Object({
    type: Type.Literal(type),
    agent: Type.String(),
    call: Type.String({ description: "the call's id; empty if the event is about none" }),
    data,
    seq: Type.Optional(
      Type.Integer({ description: "its place in the call's log, for apps that acknowledge" }),
    ),
    more: Type.Optional(
      Type.Literal(true, { description: 'another event of the same seq follows: acknowledge after that' }),
    ),
  })

/** The same for the app of the line that has or had the call. */
const toLine = <Name extends string, Data extends TSchema>(type: Name, data: Data) =>
  Type.Object({ ...about(type, data).properties, line: Line })

const Routed = Type.Object({ callId: Type.String(), agent: Type.String() })
const OnLine = Type.Object({ line: Type.String(), call: CallShape })

/** App to gateway. */
export const framesFromApp = {
  'agent.register': RegisterAgent,
  'agent.unregister': UnregisterAgent,
  'line.register': RegisterLine,
  'call.route': RouteCall,
  ...callFrames,
  'events.ack': AckEvents,
} as const satisfies Record<string, TSchema>

/** Gateway to app: answers, and what a line alone receives. An event of a call is `appEvents` in an event frame. */
export const framesToApp = {
  'agent.registered': Type.Object({
    type: Type.Literal('agent.registered'),
    agent: Type.String(),
    env: EnvironmentName,
    fixed: Type.Array(Type.String(), { description: 'the settings that the code declares' }),
    lexicon_fixed: Type.Array(Type.String(), { description: 'the halves of the lexicon that it declares' }),
    warnings: Type.Optional(
      Type.Array(Type.String(), { description: 'what keeps calls from this agent, one sentence each' }),
    ),
  }),
  refused: Type.Object({
    type: Type.Literal('error'),
    agent: nullable(Type.String({ description: 'null if the frame named none' })),
    call: Type.Optional(Type.String({ description: 'the call that the frame spoke of' })),
    request: Type.Optional(Type.String({ description: 'what the frame called itself' })),
    code: oneOf(appErrorCodes),
    detail: Sentence,
  }),
  ready: Type.Object({
    type: Type.Literal('ready'),
    number: Type.String(),
    extensionMs: Type.Integer({ description: 'how long digits after the number are taken for an extension' }),
  }),
  lineRefused: Type.Object({
    type: Type.Literal('error'),
    agent: Type.Null(),
    number: nullable(Type.String({ description: 'as the frame named it; null if it named none' })),
    code: oneOf(lineErrorCodes),
    detail: Sentence,
  }),
  'agent.holders': Type.Object({
    type: Type.Literal('agent.holders'),
    agent: Type.String(),
    holders: Type.Array(Type.Object({ app: Type.String(), processes: Type.Integer() })),
    calls: oneOf(['yours', 'others', 'shared']),
  }),
  'tool.received': Type.Object({
    type: Type.Literal('tool.received'),
    call: Type.String(),
    id: Type.String(),
  }),
  'call.passed': about('call.passed', Type.Object({ call: CallShape })),
  'call.preparing': about(
    'call.preparing',
    Type.Object({
      call: CallShape,
      turn: Type.Integer({ description: 'counts the generations of the call from 1' }),
      budgetMs: Type.Number({ description: 'how long the turn waits' }),
    }),
  ),
  call: about('call', OnLine),
  lineCallPassed: toLine('call.passed', OnLine),
  lineCallRouted: toLine('call.routed', Routed),
  'call.routed': about('call.routed', Routed),
  'call.route_failed': toLine(
    'call.route_failed',
    Type.Object({ callId: Type.String(), agent: Type.String(), reason: oneOf(routeFailures) }),
  ),
  lineCallEnded: toLine('call.ended', Type.Object({ call: CallShape, reason: oneOf(['routed']) })),
  'line.answered': about('line.answered', Type.Unsafe<Record<string, unknown>>({ type: 'object' })),
} as const satisfies Record<string, TSchema>

/** Gateway to app: something happened in a call that the app drives. */
export const eventFrames = Object.fromEntries(
  Object.entries(appEvents).map(([name, data]) => [name, about(name, data)]),
)

/** Client to gateway, on the chat socket. */
export const framesFromChat = { message: ChatMessage, end: ChatEnd } as const

/** Gateway to client, on the chat socket. */
export const framesToChat = {
  started: Type.Object({ type: Type.Literal('started'), call: Type.String(), seq: Seq }),
  heard: Type.Object({
    type: Type.Literal('heard'),
    id: Type.String({ description: "the message's, as its client named it" }),
    messageId: Type.String(),
    text: Type.String(),
    seq: Seq,
  }),
  said: Type.Object({
    type: Type.Literal('message'),
    text: Type.String(),
    messageId: Type.String(),
    seq: Seq,
  }),
  ended: Type.Object({ type: Type.Literal('ended'), reason: Type.String(), seq: Seq }),
  refusedMessage: Type.Object({ type: Type.Literal('error'), detail: Sentence }),
} as const satisfies Record<string, TSchema>
