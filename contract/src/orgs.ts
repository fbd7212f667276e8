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
  minutes: nullable(
    Type.Integer({
      description:
        'of spoken calls in a calendar month (UTC), both environments together; null is no limit, 0 is none at all',
    }),
  ),
  messages: limit(),
  agents: limit(),
  concurrent_calls: limit(),
  numbers: limit(),
  seats: limit(),
})
export type Quotas = Static<typeof Quotas>

/** What an org and each of its keys may hold open and keep, beside its quotas: with a usual value for every org. */
export const usualCaps = {
  /** Of one key. */
  event_streams: 100,
  app_sockets: 100,
  chats: 500,
  recordings_gb: 50,
  /** Of one call. */
  entries: 20_000,
  bases: 1_000,
  documents: 10_000,
  documents_gb: 10,
  chunks: 500_000,
} as const
export type CapName = keyof typeof usualCaps
export const capNames = Object.keys(usualCaps) as CapName[]

export const Caps = Type.Object({
  event_streams: limit(),
  app_sockets: limit(),
  chats: limit(),
  recordings_gb: limit(),
  entries: limit(),
  bases: limit(),
  documents: limit(),
  documents_gb: limit(),
  chunks: limit(),
})
export type Caps = Static<typeof Caps>

/** The quotas are replaced whole; of the caps, those that are named. */
export const ReplaceQuotas = Type.Interface([Quotas], {
  event_streams: Type.Optional(limit()),
  app_sockets: Type.Optional(limit()),
  chats: Type.Optional(limit()),
  recordings_gb: Type.Optional(limit()),
  entries: Type.Optional(limit()),
  bases: Type.Optional(limit()),
  documents: Type.Optional(limit()),
  documents_gb: Type.Optional(limit()),
  chunks: Type.Optional(limit()),
})
export type ReplaceQuotas = Static<typeof ReplaceQuotas>

export const ReplacedQuotas = Type.Object({
  quotas: Quotas,
  caps: Type.Optional(Caps),
})
export type ReplacedQuotas = Static<typeof ReplacedQuotas>

export const QuotasAndCaps = Type.Object({ quotas: Quotas, caps: Caps })
export type QuotasAndCaps = Static<typeof QuotasAndCaps>

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
