import { Type, type Static } from 'typebox'
import { wholeNumberText } from './shapes.ts'

/** What is seen live and never kept. */
export const ephemeralTypes: ReadonlySet<string> = new Set([
  'user.speaking',
  'bot.word',
  'speech.started',
  'speech.ended',
  'audio.metrics',
  'eager.turn',
])

/** A fact of a call, or of an agent, as its log holds it. */
export const Entry = Type.Object({
  seq: Type.Integer({ description: 'the cursor: counts from 1 within one log' }),
  ts: Type.Number({ description: 'epoch seconds' }),
  call: Type.String({ description: "the call it is about; empty in an agent's own log if it is about none" }),
  agent: Type.String(),
  type: Type.String(),
  ephemeral: Type.Boolean({ description: 'live only: never kept, never replayed' }),
  data: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
})
export type Entry = Static<typeof Entry>

/** A fact about to be written. */
export interface NewEntry {
  type: string
  data: Readonly<Record<string, unknown>>
}

export const EventsAsked = Type.Object({
  after: Type.Optional(wholeNumberText('the last seq already seen; default 0', { minimum: 0, default: 0 })),
  limit: Type.Optional(
    wholeNumberText('1 to 1000; default 500', { minimum: 1, maximum: 1000, default: 500 }),
  ),
})
export type EventsAsked = Static<typeof EventsAsked>

/** What a call's own log is asked for. */
export const CallEventsAsked = Type.Object({
  ...EventsAsked.properties,
  token: Type.Optional(
    Type.String({ description: 'in place of a key: the `log_token` that came with the dial of this call' }),
  ),
})

const Gap = Type.Unsafe<{ from: number; to: number } | null>({
  type: 'object',
  nullable: true,
  properties: { from: { type: 'integer' }, to: { type: 'integer' } },
  description: 'the first and the last seq that are no longer kept',
})

export const EventPage = Type.Object({
  entries: Type.Array(Entry),
  next: Type.Integer({
    description: 'the last seq of this page, or the one asked after: continue from here',
  }),
  gap: Gap,
  ended: Type.Boolean({ description: 'whether nothing more will come' }),
})
export type EventPage = Static<typeof EventPage>

/** `id: <seq>`, `event: <type>` and `data: <entry>` for every entry; the relay's have no `id:` and no stamp. */
export const EventStreamed = Type.String({ description: 'server-sent events, for as long as there are any' })

/** Which entries an org's live relay shows. */
export const RelayAsked = Type.Object({
  agent: Type.Optional(Type.String({ description: 'of this agent alone' })),
})

export const AppendEntries = Type.Object({
  entries: Type.Array(
    Type.Object({
      type: Type.String(),
      data: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
      ephemeral: Type.Optional(Type.Boolean()),
    }),
    { maxItems: 1000 },
  ),
  batch: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: "counts the worker's batches of this call from 1: a repeated one is taken once",
    }),
  ),
})
export type AppendEntries = Static<typeof AppendEntries>

export const Appended = Type.Object({ seq: Type.Integer({ description: "the log's last" }) })
export type Appended = Static<typeof Appended>

export const callReasons = [
  'hangup',
  'timeout',
  'idle_timeout',
  'max_duration',
  'no_answer',
  'busy',
  'failed',
] as const
export type CallReason = (typeof callReasons)[number]

export const callStates = ['open', 'held', 'ended'] as const
export type CallState = (typeof callStates)[number]

export const errorCodes = [
  'llm_timeout',
  'msgapp_not_sent',
  'msgapp_not_delivered',
  'msgapp_not_transcribed',
  'quota',
  'worker_lost',
  'dial_failed',
  'tool_failed',
  'llm_failed',
  'stt_failed',
  'tts_failed',
] as const
export type ErrorCode = (typeof errorCodes)[number]

export const transports = ['phone', 'webrtc', 'chat', 'msgapp'] as const
export type Transport = (typeof transports)[number]

/** A call as agents see it. Instants are epoch milliseconds, `duration` is seconds. */
export interface Call {
  id: string
  agent: string
  from: string | null
  to: string | null
  direction: 'inbound' | 'outbound'
  transport: Transport
  metadata: Record<string, unknown>
  language: string | null
  extension: string | null
  routedFrom: string | null
  /** Whether a run of scenarios made it, and no caller. */
  test?: true
  lineTranscript: LineTurn[]
  startedAt: number
  /** The last three are absent until the call has ended. */
  endedAt?: number
  duration?: number
  reason?: string
}

/** What was said on a line before it handed the call over. */
export interface LineTurn {
  who: 'caller' | 'line'
  text: string
  at: number
  role: 'user' | 'assistant'
  content: string
}
