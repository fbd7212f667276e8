import { Type, type Static } from 'typebox'
import { EnvironmentName } from './scope-schemas.ts'
import { environments } from './scopes.ts'
import { anyOf, flagText, nullable, oneOf, wholeNumberText } from './shapes.ts'

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
  number: Type.String({ description: 'E.164, or an extension at its account, as 201@acme' }),
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
  fallback_accounts: Type.Array(Type.String(), {
    description: "the org's accounts that its calls go out through if that one cannot carry them, in order",
  }),
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
  dry_run: Type.Optional(flagText('true or false: answer the steps and write nothing')),
})
export type DryRun = Static<typeof DryRun>

const channel = Type.Optional(anyOf(numberChannels, 'default phone'))

export const ImportNumber = Type.Object({
  number: Type.Optional(Type.String({ description: 'E.164' })),
  extension: Type.Optional(
    Type.String({ description: 'in place of number: 1 to 8 digits that the PBX of a SIP account sends' }),
  ),
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

export const numberTypes = ['local', 'mobile', 'national', 'toll-free'] as const
export type NumberType = (typeof numberTypes)[number]

export const addressNeeds = ['none', 'any', 'local', 'foreign'] as const
export type AddressNeed = (typeof addressNeeds)[number]

const country = Type.String({ description: 'two letters' })
const type = Type.Optional(anyOf(numberTypes, 'default local'))
const areaCode = Type.Optional(Type.String({ description: '1 to 6 digits; the US and Canada have them' }))
const contains = Type.Optional(
  Type.String({ description: '2 to 16 digits or letters that it contains; * is any one' }),
)

/** Which numbers are meant: of a search, and of what a purchase needs. */
export const NumberKind = Type.Object({ country, type })
export type NumberKind = Static<typeof NumberKind>

export const ForSaleAsked = Type.Object({
  country,
  type,
  area_code: areaCode,
  contains,
  address: Type.Optional(
    Type.String({
      description:
        'only numbers that this address suffices for, of `requirements`; `none`: that need no address',
    }),
  ),
  limit: Type.Optional(wholeNumberText('1 to 100; default 20', { minimum: 1, maximum: 100, default: 20 })),
})
export type ForSaleAsked = Static<typeof ForSaleAsked>

export const NumbersForSale = Type.Object({
  country: Type.String(),
  type: oneOf(numberTypes),
  numbers: Type.Array(
    Type.Object({
      number: Type.String(),
      name: Type.String({ description: 'as the carrier writes it' }),
      locality: nullable(Type.String()),
      region: nullable(Type.String()),
      /** Which address a purchase has to name: of any country, of its own (`local`) or of another (`foreign`). */
      needs_address: oneOf(addressNeeds),
    }),
  ),
})
export type NumbersForSale = Static<typeof NumbersForSale>

export const BuyingRequirements = Type.Object({
  country: Type.String(),
  type: oneOf(numberTypes),
  regulated: Type.Boolean({
    description: 'the carrier has a regulation for them: a purchase names a bundle',
  }),
  addresses: Type.Array(
    Type.Object({
      address: Type.String({ description: 'its id at the carrier' }),
      name: Type.String(),
      city: Type.String(),
      country: Type.String(),
      validated: Type.Boolean({ description: 'by the carrier' }),
    }),
  ),
  bundles: Type.Array(
    Type.Object({
      bundle: Type.String({ description: 'its id at the carrier' }),
      name: Type.String(),
      status: Type.String({ description: "the carrier's word" }),
      approved: Type.Boolean({ description: 'a purchase may name it' }),
      valid_until: nullable(Type.String({ description: 'RFC 3339; null without an end' })),
    }),
  ),
})
export type BuyingRequirements = Static<typeof BuyingRequirements>

export const BuyNumber = Type.Object({
  country,
  type,
  number: Type.Optional(
    Type.String({ description: 'one of `for-sale`; without it the first that is found is bought' }),
  ),
  area_code: areaCode,
  contains,
  address: Type.Optional(Type.String({ description: 'of `requirements`, if the number needs one' })),
  bundle: Type.Optional(Type.String({ description: 'of `requirements`, if the number needs one' })),
  agent: Type.String(),
  channel,
})
export type BuyNumber = Static<typeof BuyNumber>

/** A query's `at_carrier`: a rule reads it as it reads `dry_run`. */
export const ReleaseNumber = Type.Object({
  at_carrier: Type.Optional(
    flagText('true or false: also end the platform’s purchase, so that others may buy it'),
  ),
})
export type ReleaseNumber = Static<typeof ReleaseNumber>

export const MoveNumber = Type.Object({ env: anyOf(environments) })
export type MoveNumber = Static<typeof MoveNumber>

export const mostFallbacks = 4

export const SetFallbacks = Type.Object({
  accounts: Type.Array(Type.String(), {
    description: `carrier accounts of the org, ${mostFallbacks} at most, in the order in which they are tried; none takes them away`,
  }),
})
export type SetFallbacks = Static<typeof SetFallbacks>

export const NumberFallbacks = Type.Object({
  number: Type.String(),
  account: nullable(Type.String()),
  fallback_accounts: Type.Array(Type.String()),
})
export type NumberFallbacks = Static<typeof NumberFallbacks>

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
