import { Type, type Static } from 'typebox'
import { EnvironmentName } from './scope-schemas.ts'
import { environments } from './scopes.ts'
import { anyOf, nullable, Timestamp } from './shapes.ts'

export const usualPace = { visitor_per_hour: 20, per_minute: 60 } as const
export const mostPace = { visitor_per_hour: 200, per_minute: 600 } as const

const Origins = Type.Array(Type.String(), {
  description: 'the origins of the pages that may use it, such as https://shop.example; 1 to 20',
})
const VisitorPerHour = Type.Integer({
  minimum: 1,
  maximum: mostPace.visitor_per_hour,
  description: `calls and chats that one visitor's address may open in an hour; default ${usualPace.visitor_per_hour}`,
})
const PerMinute = Type.Integer({
  minimum: 1,
  maximum: mostPace.per_minute,
  description: `calls and chats that all visitors together may open in a minute; default ${usualPace.per_minute}`,
})

export const CreatePublishableKey = Type.Object({
  label: Type.String(),
  agent: Type.String({ description: 'the one agent that it opens' }),
  env: anyOf(environments),
  origins: Origins,
  visitor_per_hour: Type.Optional(VisitorPerHour),
  per_minute: Type.Optional(PerMinute),
})
export type CreatePublishableKey = Static<typeof CreatePublishableKey>

export const PublishableKey = Type.Object({
  id: Type.String(),
  key: Type.String({ description: 'stands in pages, and is no secret' }),
  label: Type.String(),
  agent: Type.String(),
  env: EnvironmentName,
  origins: Origins,
  visitor_per_hour: VisitorPerHour,
  per_minute: PerMinute,
  created_by: Type.String(),
  created_at: Timestamp,
  revoked_at: nullable(Timestamp),
})
export type PublishableKey = Static<typeof PublishableKey>

export const PublishableKeyList = Type.Object({ publishable_keys: Type.Array(PublishableKey) })
export type PublishableKeyList = Static<typeof PublishableKeyList>

export const PublishableKeyParams = Type.Object({ id: Type.String() })

/** A page asks with its publishable key as the bearer. */
export const OpenFromPage = Type.Object({
  channel: Type.Optional(anyOf(['voice', 'chat'] as const)),
  agent: Type.Optional(Type.String({ description: 'the agent of the key, which needs not be named' })),
  page: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'what the page tells the agent, as `call.metadata.page`: a visitor can change it',
    }),
  ),
})
export type OpenFromPage = Static<typeof OpenFromPage>

export const OpenedFromPage = Type.Object({
  call: Type.String(),
  agent: Type.String(),
  token: Type.String({
    description: "the call's participant token, or the key of the chat's socket; shown here alone",
  }),
})
export type OpenedFromPage = Static<typeof OpenedFromPage>
