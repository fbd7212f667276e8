import { Type, type Static } from 'typebox'
import { EnvironmentName } from './scope-schemas.ts'
import type { Environment } from './scopes.ts'
import { nullable } from './shapes.ts'

const AnyObject = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })

/** What a model may ask the app to do. */
export const AppTool = Type.Object({
  name: Type.String(),
  description: Type.String(),
  parameters: AnyObject,
  timeoutMs: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 300_000,
      description: "how long it may take; default: the deployment's",
    }),
  ),
  while: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'said to the caller if it takes longer than a second',
    }),
  ),
})
export type AppTool = Static<typeof AppTool>

/** How long a turn waits for the app to prepare it: the usual time, or the time it names. */
export type Preparing = true | { timeoutMs: number }

/** Of a registration. Events then carry their `seq`, and a call goes on behind the last one acknowledged. */
export const Acknowledges = Type.Optional(
  Type.Boolean({ description: 'whether the app acknowledges events with `events.ack`' }),
)

/** App to gateway: from now on this app holds the agent, as its class declares it. */
export const RegisterAgent = Type.Object({
  type: Type.Literal('agent.register'),
  agent: Type.String(),
  app: Type.Optional(Type.String({ description: "the app's name; default: the label of its key" })),
  instance: Type.Optional(
    Type.String({ description: "the app's process, by an id of its own; default: this socket's" }),
  ),
  prompt: Type.Optional(Type.String({ description: 'the system prompt; at most 100000 characters' })),
  declares: Type.Optional(AnyObject),
  tools: Type.Optional(Type.Array(AppTool)),
  state: Type.Optional(Type.Unknown()),
  endpoints: Type.Optional(Type.Unknown()),
  preparing: Type.Optional(Type.Unsafe<Preparing>({ description: 'true, or {timeoutMs} of 1 to 10000' })),
  analysis: Type.Optional(Type.Object({ send_audio_metrics: Type.Optional(Type.Boolean()) })),
  acknowledges: Acknowledges,
  exclusive: Type.Optional(
    Type.Boolean({
      description: 'refused while another app holds the agent, and others are refused meanwhile',
    }),
  ),
  balance: Type.Optional(
    Type.Boolean({ description: 'new calls go in turn to the processes of this app that say so' }),
  ),
  holders: Type.Optional(
    Type.Boolean({ description: 'whether the app is sent `agent.holders` as other apps come and go' }),
  ),
})
export type RegisterAgent = Static<typeof RegisterAgent>

/** App to gateway: this app holds the agent no longer. */
export const UnregisterAgent = Type.Object({
  type: Type.Literal('agent.unregister'),
  agent: Type.String(),
})
export type UnregisterAgent = Static<typeof UnregisterAgent>

/** Gateway to app. */
export interface AgentRegistered {
  type: 'agent.registered'
  agent: string
  env: Environment
  /** The settings its class declares. */
  fixed: string[]
  /** The halves of the lexicon its class declares. */
  lexicon_fixed: string[]
  /** What keeps calls from this agent, one sentence each; absent if nothing does. */
  warnings?: string[]
}

/** Gateway to app: which apps hold the agent now. Sent to apps that asked for it as others come and go. */
export interface AgentHolders {
  type: 'agent.holders'
  agent: string
  /** By the apps' names, the newest first. */
  holders: AgentHolder[]
  /** Who gets new calls: this process, another one, or each of this app's processes in turn. */
  calls: 'yours' | 'others' | 'shared'
}

export interface AgentHolder {
  app: string
  processes: number
}

export type AppErrorCode =
  | 'BAD_FRAME'
  | 'AGENT_HELD'
  | 'AGENT_NOT_ALLOWED'
  | 'MODEL_NOT_ALLOWED'
  | 'PROVIDER_KEY_REQUIRED'
  | 'QUOTA_EXCEEDED'
  | 'INTERNAL_ERROR'

/** Gateway to app: what it asked for was refused, and the socket stays open. */
export interface AppError {
  type: 'error'
  /** Null if the frame named none. */
  agent: string | null
  /** The call that the frame spoke of, if it did. */
  call?: string
  /** What the frame called itself, if it did. */
  request?: string
  code: AppErrorCode
  /** One sentence a person can act on. */
  detail: string
}

/** An upgrade that was taken. */
export const SocketOpen = Type.Unsafe<undefined>({ type: 'null', description: 'the socket is open' })

const Holder = Type.String({ description: "a member's id in the sandbox, or empty for the org's own" })

export const AppEntry = Type.Object({
  id: Type.String(),
  app: Type.String(),
  env: EnvironmentName,
  agents: Type.Array(Type.String()),
  holder: Holder,
  key: Type.String({ description: 'the label of its key' }),
  connected_at: Type.Integer({ description: 'epoch seconds' }),
})
export type AppEntry = Static<typeof AppEntry>

export const AppList = Type.Object({ apps: Type.Array(AppEntry) })
export type AppList = Static<typeof AppList>

export const AgentEntry = Type.Object({
  agent: Type.String(),
  held: Type.Boolean({ description: 'whether an app is connected for the caller' }),
  app: nullable(Type.String()),
  holder: Holder,
  fixed: Type.Array(Type.String(), { description: 'the settings that its class declares' }),
})
export type AgentEntry = Static<typeof AgentEntry>

export const AgentList = Type.Object({ agents: Type.Array(AgentEntry) })
export type AgentList = Static<typeof AgentList>
