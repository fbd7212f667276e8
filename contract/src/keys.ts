import { Type, type Static } from 'typebox'
import { EnvironmentName, ScopeName } from './scope-schemas.ts'
import { environments } from './scopes.ts'
import { anyOf, nullable, oneOf, Timestamp } from './shapes.ts'

/** What every endpoint that mints a key answers; the key is in no other answer. */
export const MintedKey = Type.Object({
  key: Type.String({ description: 'secret, shown this once' }),
  key_id: Type.String(),
  org: Type.String(),
  label: Type.String(),
  env: EnvironmentName,
  scopes: Type.Array(ScopeName),
  subject: Type.String(),
  name: Type.String(),
})
export type MintedKey = Static<typeof MintedKey>

export const CreateServerToken = Type.Object({
  label: Type.String(),
  env: anyOf(environments),
  scopes: Type.Optional(Type.Array(Type.String())),
  expires_at: Type.Optional(Type.String({ description: 'a time with an offset, in the future' })),
})
export type CreateServerToken = Static<typeof CreateServerToken>

export const ServerToken = Type.Interface([MintedKey], {
  fingerprint: Type.String(),
  expires_at: nullable(Timestamp),
})
export type ServerToken = Static<typeof ServerToken>

export const KeyEntry = Type.Object({
  fingerprint: Type.String({ description: 'identifies the key; never the key' }),
  label: Type.String(),
  kind: oneOf(['person', 'server'] as const),
  env: EnvironmentName,
  name: nullable(Type.String()),
  created_by: Type.String(),
  created_at: Timestamp,
  last_used_at: nullable(Timestamp),
  revoked_at: nullable(Timestamp),
  expires_at: nullable(Timestamp),
  scopes: Type.Array(ScopeName),
})
export type KeyEntry = Static<typeof KeyEntry>

export const KeyList = Type.Object({ keys: Type.Array(KeyEntry) })
export type KeyList = Static<typeof KeyList>

export const RevokedKey = Type.Object({ fingerprint: Type.String(), revoked: Type.Literal(true) })
export type RevokedKey = Static<typeof RevokedKey>
