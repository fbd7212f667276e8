import { Type, type Static } from 'typebox'
import { nullable, oneOf } from './shapes.ts'
import { stages } from './stages.ts'

export const RateRecord = Type.Object({
  service: oneOf(stages),
  provider: Type.String(),
  model: Type.String(),
  managed: Type.Boolean({ description: 'whether the platform serves it on a key of its own, for credits' }),
})
export type RateRecord = Static<typeof RateRecord>

const names = Type.Array(Type.String())

export const RateList = Type.Object({
  models: Type.Array(RateRecord),
  managedProviders: Type.Object({ stt: names, tts: names, llm: names }),
})
export type RateList = Static<typeof RateList>

export const accessReasons = ['ok', 'unknown_model', 'plan_restricted', 'byok_key_required'] as const
export type AccessReason = (typeof accessReasons)[number]

export const AskAccess = Type.Object({
  service: Type.String({ description: `one of ${stages.join(', ')}` }),
  model: Type.String({ description: 'provider/model, or a model that one provider alone has' }),
})
export type AskAccess = Static<typeof AskAccess>

export const AccessVerdict = Type.Object({
  allowed: Type.Boolean(),
  reason: oneOf(accessReasons),
  provider: nullable(Type.String()),
  managed: Type.Boolean(),
  planAllowed: Type.Boolean(),
  hasKey: Type.Boolean({ description: 'whether the org saved a key of its own for the provider' }),
  requiresKey: Type.Boolean(),
})
export type AccessVerdict = Static<typeof AccessVerdict>

export const SaveCredentials = Type.Object({
  provider: Type.String(),
  apiKey: Type.String({ description: 'secret, answered nowhere' }),
})
export type SaveCredentials = Static<typeof SaveCredentials>

export const SavedCredentials = Type.Object({ provider: Type.String(), saved: Type.Literal(true) })
export type SavedCredentials = Static<typeof SavedCredentials>
