import { Type, type TSchema } from 'typebox'
import { KnowledgeFound } from './knowledge.ts'
import { callReasons, errorCodes, transports } from './log.ts'
import { nullable, oneOf } from './shapes.ts'

// What an app receives about a call, by the event's name: the `data` of its frame. More fields may come.

const MessageId = Type.String()
const EpochMs = Type.Number({ description: 'epoch milliseconds' })
const AnyObject = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })
const Text = Type.Object({ text: Type.String() })
const Heard = Type.Object({ callId: Type.String(), at: EpochMs })
const TurnSignal = Type.Object({ text: Type.String(), probability: Type.Number() })
const Supervised = Type.Object({ by: Type.String() })
const Paused = Type.Object(
  { sessionId: Type.Optional(Type.String()), contact: Type.Optional(Type.String()) },
  { description: 'a session, a contact, or, with neither, everything' },
)

export const LineTurnShape = Type.Object({
  who: oneOf(['caller', 'line']),
  text: Type.String(),
  at: EpochMs,
  role: oneOf(['user', 'assistant']),
  content: Type.String(),
})

/** A call as agents see it. */
export const CallShape = Type.Object({
  id: Type.String(),
  agent: Type.String(),
  from: nullable(Type.String()),
  to: nullable(Type.String()),
  direction: oneOf(['inbound', 'outbound']),
  transport: oneOf(transports),
  metadata: AnyObject,
  language: nullable(Type.String()),
  extension: nullable(Type.String({ description: 'what was dialled after the number' })),
  routedFrom: nullable(Type.String({ description: 'the line that handed the call over' })),
  lineTranscript: Type.Array(LineTurnShape),
  startedAt: EpochMs,
  endedAt: Type.Optional(EpochMs),
  duration: Type.Optional(Type.Number({ description: 'seconds' })),
  reason: Type.Optional(Type.String()),
  test: Type.Optional(Type.Literal(true, { description: 'if a run of scenarios made it, and no caller' })),
})

const WithCall = Type.Object({ call: CallShape })

export const ToolCallShape = Type.Object({
  id: Type.String({ description: 'of this run: its result is sent under it' }),
  name: Type.String(),
  arguments: Type.String({ description: 'JSON, as the model wrote it' }),
})

/** The data of each event of a call. */
export const appEvents = {
  'call.started': WithCall,
  'chat.started': WithCall,
  'msgapp.started': Type.Object({
    call: CallShape,
    session: Type.Object({ contactPhone: Type.String(), contactName: nullable(Type.String()) }),
  }),
  'call.preparingTimeout': Type.Object({
    callId: Type.String(),
    turn: Type.Integer(),
    waitedMs: Type.Number(),
    budgetMs: Type.Number(),
  }),
  'call.ended': Type.Object({ call: CallShape, reason: oneOf([...callReasons, 'routed']) }),
  'memory.ops': Type.Object({
    contact: Type.String(),
    ops: Type.Array(
      Type.Object({
        op: oneOf(['add', 'update', 'delete']),
        id: Type.String(),
        text: Type.Optional(Type.String()),
        supersedes: Type.Optional(Type.String({ description: 'on an update: the fact it replaces' })),
      }),
    ),
  }),
  'speech.started': Heard,
  'speech.ended': Heard,
  'user.speaking': Text,
  'user.message': Type.Object({ text: Type.String(), messageId: MessageId }),
  'eager.turn': TurnSignal,
  'turn.end': TurnSignal,
  'turn.continued': Type.Object({ callId: Type.String(), at: EpochMs, text: Type.String() }),
  'bot.speaking': Type.Object({
    messageId: MessageId,
    text: Type.String({ description: 'empty if the reply is streamed' }),
  }),
  'bot.word': Type.Object({ messageId: MessageId, word: Type.String() }),
  'bot.finished': Type.Object({ messageId: MessageId, durationMs: Type.Number() }),
  'bot.interrupted': Type.Object({
    messageId: MessageId,
    playedMs: Type.Number(),
    reason: oneOf(['user_speech', 'api', 'call_ended']),
  }),
  'message.confirmed': Type.Object({ messageId: MessageId }),
  'llm.toolCall': Type.Object({ msgId: Type.String(), toolCalls: Type.Array(ToolCallShape) }),
  'session.idleWarning': Type.Object({
    remainingSeconds: Type.Number(),
    idleTimeoutSeconds: Type.Number(),
  }),
  'session.timeout': Type.Object({ reason: oneOf(['max_duration', 'idle_timeout']) }),
  'audio.metrics': Type.Object({
    source: oneOf(['user', 'bot']),
    energyDb: Type.Number(),
    rms: Type.Number(),
    peak: Type.Number(),
    isSpeech: Type.Boolean(),
    vadProb: Type.Number(),
  }),
  'call.dtmf_received': Type.Object({
    callId: Type.String(),
    digit: Type.String(),
    digits: Type.String({ description: 'every press so far' }),
  }),
  'call.dtmf_sent': Type.Object({ callId: Type.String(), digits: Type.String() }),
  'msgapp.message': Type.Object({
    sessionId: Type.String(),
    from: Type.String(),
    name: Type.String(),
    type: oneOf(['text', 'audio', 'button', 'interactive', 'reaction', 'image', 'video', 'document']),
    text: Type.String(),
    messageId: MessageId,
    paused: Type.Boolean(),
    reply: Type.Optional(
      Type.Object({
        id: Type.String(),
        title: Type.String(),
        description: Type.Optional(Type.String()),
      }),
    ),
  }),
  'msgapp.response': Type.Object({
    sessionId: Type.String(),
    to: Type.String(),
    text: Type.String(),
    source: Type.Optional(oneOf(['human'])),
  }),
  'msgapp.status': Type.Object({
    status: oneOf(['sent', 'delivered', 'read', 'failed']),
    recipient: Type.String(),
    messageId: MessageId,
    error: Type.Optional(Type.Object({ code: nullable(Type.Number()), detail: Type.String() })),
  }),
  'session.paused': Paused,
  'session.resumed': Paused,
  'agent.message': Type.Object({
    text: Type.String(),
    messageId: MessageId,
    source: oneOf(['model', 'say', 'human']),
    by: Type.Optional(Type.String()),
    template: Type.Optional(AnyObject),
  }),
  'call.dialing': Type.Object({ to: Type.String(), from: Type.String() }),
  'call.answered': AnyObject,
  'call.answered_by': Type.Object({
    by: oneOf(['person', 'machine', 'unknown']),
    kind: Type.Optional(oneOf(['voicemail', 'fax', 'screening'])),
  }),
  'call.taken_over': Supervised,
  'call.released': Supervised,
  'call.transferred': Type.Object({
    to: Type.String(),
    kind: oneOf(['warm', 'cold']),
    ok: Type.Boolean(),
    why: Type.Optional(Type.String({ description: 'why the caller stayed' })),
  }),
  'call.opt_out': Type.Object({ number: Type.String() }),
  'callback.requested': Type.Object({
    number: Type.String(),
    when: nullable(Type.String()),
    note: nullable(Type.String()),
    call: Type.String(),
    channel: oneOf(transports),
    contact: nullable(Type.String()),
    via: oneOf(['agent', 'overflow']),
  }),
  'knowledge.found': KnowledgeFound,
  'vendor.switched': AnyObject,
  error: Type.Object(
    {
      code: oneOf(errorCodes),
      detail: Type.String(),
      messageId: Type.Optional(MessageId),
      platform_code: Type.Optional(nullable(Type.Number())),
    },
    { description: "an entry of the call's log: something went wrong in the call itself" },
  ),
} as const satisfies Record<string, TSchema>

export type AppEventName = keyof typeof appEvents
