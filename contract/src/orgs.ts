import { Type, type Static } from 'typebox'
import { nullable, Timestamp } from './shapes.ts'

export const CreateOrg = Type.Object({
  slug: Type.String({ description: 'lower-case letters, digits and dashes, at most 40' }),
  name: Type.Optional(Type.String({ description: 'the slug when absent' })),
})
export type CreateOrg = Static<typeof CreateOrg>

export const CreatedOrg = Type.Object({ id: Type.String(), slug: Type.String(), name: Type.String() })
export type CreatedOrg = Static<typeof CreatedOrg>

export const Org = Type.Interface([CreatedOrg], { created_at: Timestamp })
export type Org = Static<typeof Org>

export const OrgList = Type.Object({ orgs: Type.Array(Org) })
export type OrgList = Static<typeof OrgList>

export const quotaNames = ['minutes', 'messages', 'agents', 'concurrent_calls', 'numbers', 'seats'] as const
export type QuotaName = (typeof quotaNames)[number]

const limit = () => nullable(Type.Integer({ description: 'null is no limit, 0 is none at all' }))

export const Quotas = Type.Object({
  minutes: limit(),
  messages: limit(),
  agents: limit(),
  concurrent_calls: limit(),
  numbers: limit(),
  seats: limit(),
})
export type Quotas = Static<typeof Quotas>

export const ReplacedQuotas = Type.Object({ quotas: Quotas })
export type ReplacedQuotas = Static<typeof ReplacedQuotas>

export const Holding = Type.Object({
  minutes: Type.Number(),
  messages: Type.Integer(),
  agents: Type.Integer(),
  concurrent_calls: Type.Integer(),
  numbers: Type.Integer(),
  seats: Type.Integer(),
})
export type Holding = Static<typeof Holding>

export const OrgDetail = Type.Interface([Org], { quotas: Quotas, holding: Holding })
export type OrgDetail = Static<typeof OrgDetail>
