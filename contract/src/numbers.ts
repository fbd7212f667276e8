import { Type, type Static } from 'typebox'
import { EnvironmentName } from './scope-schemas.ts'
import { anyOf, nullable, oneOf } from './shapes.ts'

/** A number in international format. */
export const e164 = /^\+[1-9][0-9]{6,14}$/

/** A number in a path; what is none is nowhere. */
export const NumberParams = Type.Object({ number: Type.String({ pattern: e164.source }) })

export const numberChannels = ['phone', 'msgapp'] as const
export type NumberChannel = (typeof numberChannels)[number]

export const numberOrigins = ['bought', 'imported', 'hooked', 'typed'] as const
export type NumberOrigin = (typeof numberOrigins)[number]

export const ringStates = ['ok', 'waiting', 'broken'] as const
export type RingState = (typeof ringStates)[number]

const EpochSeconds = nullable(Type.Number({ description: 'epoch seconds; null if never' }))

/** Which agent answers at a number. */
export const Route = Type.Object({
  org: Type.String(),
  agent: Type.String(),
  channel: oneOf(numberChannels),
  number: Type.String(),
  label: Type.String({ description: "the carrier's or platform's name for the number, else the number" }),
  env: EnvironmentName,
  managed: Type.Boolean({ description: 'bought by the platform' }),
})
export type Route = Static<typeof Route>

export const NumberEntry = Type.Object({
  route: Route,
  origin: oneOf(numberOrigins),
  rings: oneOf(ringStates),
  last_call_at: EpochSeconds,
  via: nullable(Type.String({ description: "the catalogue's carrier that a hooked number comes through" })),
  account: nullable(Type.String({ description: "the org's account that the number lives in" })),
})
export type NumberEntry = Static<typeof NumberEntry>

export const NumberList = Type.Object({ numbers: Type.Array(NumberEntry) })
export type NumberList = Static<typeof NumberList>

export const pathSteps = ['carrier', 'fence', 'rule', 'agent'] as const

export const PathStep = Type.Object({
  step: oneOf(pathSteps),
  state: oneOf(ringStates),
  says: Type.String(),
  fix: nullable(Type.String({ description: 'what to do about it; null when there is nothing to do' })),
})
export type PathStep = Static<typeof PathStep>

/** The way of a call to the agent, step by step. */
export const NumberPath = Type.Object({
  number: Type.String(),
  steps: Type.Array(PathStep),
  rings: oneOf(ringStates),
  last_call_at: EpochSeconds,
})
export type NumberPath = Static<typeof NumberPath>

export const AvailableNumbers = Type.Object({
  kind: oneOf(['apicarrier', 'sip', 'msgapp']),
  numbers: Type.Array(
    Type.Object({
      number: nullable(Type.String({ description: 'null if the messaging platform did not report it' })),
      name: nullable(Type.String()),
      imported: Type.Boolean({ description: 'into this environment' }),
      account: Type.String(),
    }),
  ),
})
export type AvailableNumbers = Static<typeof AvailableNumbers>

/** A query's `dry_run`: a rule reads it, because only four words are meant by it. */
export const DryRun = Type.Object({
  dry_run: Type.Optional(Type.String({ description: 'true or false: answer the steps and write nothing' })),
})
export type DryRun = Static<typeof DryRun>

const channel = Type.Optional(anyOf(numberChannels, 'default phone'))

export const ImportNumber = Type.Object({
  number: Type.Optional(Type.String({ description: 'E.164' })),
  agent: Type.String({ description: 'need not have been declared yet' }),
  channel,
  account: Type.Optional(Type.String({ description: 'the carrier account, if the org has several' })),
  hooked: Type.Optional(Type.Boolean({ description: 'the org points the number at the platform itself' })),
  networks: Type.Optional(
    Type.Array(Type.String(), { description: "hooked: the org's own networks that it comes from" }),
  ),
  via: Type.Optional(Type.String({ description: "hooked: the catalogue's carrier it comes through" })),
  move: Type.Optional(
    Type.Boolean({ description: 'take it off another trunk of its carrier account first' }),
  ),
})
export type ImportNumber = Static<typeof ImportNumber>

export const ImportedNumber = Type.Object({
  route: Route,
  steps: Type.Array(Type.String({ description: '`<thing>: done`, `stands`, `to do` or `waiting`' })),
  dry_run: Type.Boolean(),
})
export type ImportedNumber = Static<typeof ImportedNumber>

export const BuyNumber = Type.Object({
  country: Type.String({ description: 'two letters' }),
  area_code: Type.Optional(Type.String({ description: '1 to 6 digits' })),
  agent: Type.String(),
  channel,
})
export type BuyNumber = Static<typeof BuyNumber>

export const MoveNumber = Type.Object({ env: Type.String({ description: 'sandbox or production' }) })
export type MoveNumber = Static<typeof MoveNumber>

/** The operator's own route, into any org. */
export const TypeNumber = Type.Object({
  org: Type.String({ description: 'id or slug' }),
  number: Type.Optional(Type.String({ description: 'E.164' })),
  agent: Type.String(),
  env: Type.String({ description: 'sandbox or production' }),
  channel,
  via: Type.Optional(
    Type.String({ description: "the catalogue's carrier it comes through; default: the first" }),
  ),
})
export type TypeNumber = Static<typeof TypeNumber>

export const WaitingNumbers = Type.Object({
  numbers: Type.Array(
    Type.Object({
      org: Type.String(),
      number: Type.String(),
      agent: Type.String(),
      env: EnvironmentName,
      via: nullable(Type.String()),
      asked_at: Type.Number({ description: 'epoch seconds' }),
    }),
  ),
})
export type WaitingNumbers = Static<typeof WaitingNumbers>

export const ApprovedNumber = Type.Object({
  org: Type.String(),
  number: Type.String(),
  env: EnvironmentName,
  approved_at: Type.Number({ description: 'epoch seconds' }),
})
export type ApprovedNumber = Static<typeof ApprovedNumber>
