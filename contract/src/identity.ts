import { Type, type Static } from 'typebox'
import { EnvironmentName, ScopeName } from './scope-schemas.ts'
import { nullable } from './shapes.ts'

/** Who a key acts as, in the environment of the request. */
export const Identity = Type.Object({
  org: Type.String(),
  slug: Type.String(),
  key_id: Type.String(),
  label: Type.String(),
  env: EnvironmentName,
  scopes: Type.Array(ScopeName),
  subject: Type.String({ description: 'member id; empty for a server token' }),
  name: Type.String(),
  email: nullable(Type.String()),
  operator: Type.Boolean(),
  visiting: Type.Boolean(),
  production: Type.Boolean(),
})
export type Identity = Static<typeof Identity>

export const OwnAgents = Type.Object({
  agents: Type.Array(Type.String(), { description: 'those that the person works on; empty for all' }),
})
export type OwnAgents = Static<typeof OwnAgents>

export const OperatorIdentity = Type.Object({
  operator: Type.Literal(true),
  version: Type.String(),
  domain: nullable(Type.String()),
  name: nullable(Type.String()),
  org: nullable(Type.String()),
})
export type OperatorIdentity = Static<typeof OperatorIdentity>
