import type { AgentHolder } from '@switchroom/contract/apps'
import type { PreparedSet } from '@switchroom/contract/call-frames'
import type { KnowledgeFound } from '@switchroom/contract/knowledge'
import type { RouteFailure } from '@switchroom/contract/lines'
import type { CallReason, ErrorCode } from '@switchroom/contract/log'
import type { Call, MessagingSession } from './call.ts'
import type { SwitchroomError } from './errors.ts'

/** The turn that waits for a `call.preparing` handler. */
export interface PreparingTurn {
  /** Counts the generations of the call from 1. */
  turn: number
  /** How long the turn waits for the handler. */
  budgetMs: number
}

export interface MemoryOp {
  op: 'add' | 'update' | 'delete'
  id: string
  text?: string
  /** On an update: the fact it replaces. */
  supersedes?: string
}

export interface ToolCall {
  id: string
  name: string
  /** JSON. */
  arguments: string
}

interface Heard {
  callId: string
  /** Epoch milliseconds. */
  at: number
}

interface Spoken {
  text: string
  probability: number
}

/** A session, a contact, or, with neither, everything. */
interface Paused {
  sessionId?: string
  contact?: string
}

interface Supervised {
  by: string
}

/** What happens in calls, by name: the arguments of a handler. */
export interface CallEvents {
  // The life of a call
  'call.started': [call: Call]
  'chat.started': [call: Call]
  'msgapp.started': [call: Call, session: MessagingSession]
  /** The call was handled by another process or connection; its events now come here. */
  'call.passed': [call: Call]
  'call.preparing': [call: Call, turn: PreparingTurn]
  'call.preparingTimeout': [
    event: { callId: string; turn: number; waitedMs: number; budgetMs: number },
    call: Call,
  ]
  'call.ended': [call: Call, reason: CallReason]
  'memory.ops': [event: { contact: string; ops: MemoryOp[] }, call?: Call]

  // Speech and turns
  'speech.started': [event: Heard, call: Call]
  'speech.ended': [event: Heard, call: Call]
  'user.speaking': [event: { text: string }, call: Call]
  'user.message': [event: { text: string; messageId: string }, call: Call]
  'eager.turn': [event: Spoken, call: Call]
  'turn.end': [event: Spoken, call: Call]
  'turn.continued': [event: Heard & { text: string }, call: Call]
  'bot.speaking': [event: { messageId: string; text: string }, call: Call]
  'bot.word': [event: { messageId: string; word: string }, call: Call]
  'bot.finished': [event: { messageId: string; durationMs: number }, call: Call]
  'bot.interrupted': [
    event: { messageId: string; playedMs: number; reason: 'user_speech' | 'api' | 'call_ended' },
    call: Call,
  ]
  'message.confirmed': [event: { messageId: string }, call: Call]
  'llm.toolCall': [event: { msgId: string; toolCalls: ToolCall[] }, call: Call]
  'session.idleWarning': [event: { remainingSeconds: number; idleTimeoutSeconds: number }, call: Call]
  'session.timeout': [event: { reason: 'max_duration' | 'idle_timeout' }, call: Call]
  'audio.metrics': [
    event: {
      source: 'user' | 'bot'
      energyDb: number
      rms: number
      peak: number
      isSpeech: boolean
      vadProb: number
    },
    call: Call,
  ]

  // Tones
  'call.dtmf_received': [event: { callId: string; digit: string; digits: string }, call: Call]
  'call.dtmf_sent': [event: { callId: string; digits: string }, call: Call]

  // Messaging
  'msgapp.message': [
    event: {
      sessionId: string
      from: string
      name: string
      type: 'text' | 'audio' | 'button' | 'interactive' | 'reaction' | 'image' | 'video' | 'document'
      text: string
      messageId: string
      paused: boolean
      /** What they chose among buttons or in a list; `text` is its title. */
      reply?: { id: string; title: string; description?: string }
    },
    call: Call,
  ]
  'msgapp.response': [event: { sessionId: string; to: string; text: string; source?: 'human' }, call: Call]
  'msgapp.status': [
    event: {
      status: 'sent' | 'delivered' | 'read' | 'failed'
      recipient: string
      messageId: string
      /** Why it failed: the platform's number and its words. */
      error?: { code: number | null; detail: string }
    },
    call: Call,
  ]
  'session.paused': [event: Paused, call?: Call]
  'session.resumed': [event: Paused, call?: Call]

  // What a log holds beside these
  'agent.message': [
    event: {
      text: string
      messageId: string
      source: 'model' | 'say' | 'human'
      by?: string
      /** The words of a tool's `while`: the answer follows. */
      meanwhile?: true
      /** The template that it was, as the messaging platform got it. */
      template?: { name: string; language: { code: string }; components: object[] }
    },
    call: Call,
  ]
  'call.dialing': [event: { to: string; from: string }, call: Call]
  'call.answered': [event: object, call: Call]
  'call.answered_by': [
    event: { by: 'person' | 'machine' | 'unknown'; kind?: 'voicemail' | 'fax' | 'screening' },
    call: Call,
  ]
  'call.taken_over': [event: Supervised, call: Call]
  'call.released': [event: Supervised, call: Call]
  'call.transferred': [event: { to: string; kind: 'warm' | 'cold'; ok: boolean; why?: string }, call: Call]
  'call.opt_out': [event: { number: string }, call: Call]
  'callback.requested': [
    event: {
      number: string
      when: string | null
      note: string | null
      call: string
      channel: 'phone' | 'msgapp' | 'chat' | 'webrtc'
      contact: string | null
      via: 'agent' | 'overflow'
    },
    call: Call,
  ]
  /** What was looked up in a knowledge base: for a turn, by the model or by an app. */
  'knowledge.found': [event: KnowledgeFound, call: Call]
  'vendor.switched': [event: Record<string, unknown>, call: Call]
  /** The log's entry `error`: something went wrong in the call itself. */
  'call.error': [
    event: {
      code: ErrorCode
      detail: string
      /** Of a `msgapp_…` error: the message, and the messaging platform's number for what is wrong. */
      messageId?: string
      platform_code?: number | null
    },
    call: Call,
  ]
}

/** The apps that hold an agent at this moment. */
export interface Holders {
  /** By the apps' names, this one included, the newest first. */
  holders: AgentHolder[]
  /** Where new calls go: here, to another process, or to the processes of this app in turn. */
  newCalls: 'here' | 'elsewhere' | 'in turn'
}

interface Registered {
  ready: []
  /** A refused registration, a refused frame, or a handler or tool of this process that threw. */
  error: [error: SwitchroomError]
}

export interface AgentEvents extends CallEvents, Registered {
  /** Another app or process has begun or ceased to hold the agent. Without a handler, Node prints a warning. */
  holders: [event: Holders]
}

export interface LineEvents extends Omit<CallEvents, 'call.ended'>, Registered {
  /** The extension window closed, and the line has the call. */
  call: [call: Call]
  /** `routed` if the line handed it over; the call continues. */
  'call.ended': [call: Call, reason: CallReason | 'routed']
  'call.routed': [event: { callId: string; agent: string }, call: Call]
  'call.route_failed': [event: { callId: string; agent: string; reason: RouteFailure }, call: Call]
}

type Answer = PreparedSet | void

/** What a handler may answer: for `call.preparing` what it changes, for everything else it is not looked at. */
export type HandlerAnswer<Name> = Name extends 'call.preparing' ? Answer | Promise<Answer> : unknown
