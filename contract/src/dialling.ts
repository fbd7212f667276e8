import { Type, type Static } from 'typebox'
import { consentKinds, standings } from './consents.ts'
import { EnvironmentName } from './scope-schemas.ts'
import { orNull } from './settings.ts'
import { nullable, oneOf } from './shapes.ts'

/** Why a dial is refused, in the order they are judged. */
export const dialReasons = [
  'bad_number',
  'no_from',
  'not_held',
  'stranger',
  'opted_out',
  'no_consent',
  'quiet_hours',
  'per_minute',
  'per_day',
  'too_often',
] as const
export type DialReason = (typeof dialReasons)[number]

/** A dial of its own, a leg into a live call, or the caller of one sent on. */
export const dialKinds = ['dial', 'leg', 'transfer'] as const
export type DialKind = (typeof dialKinds)[number]

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export type Weekday = (typeof weekdays)[number]

const Instant = Type.Number({ description: 'epoch seconds' })

/** An account of the number that could not carry a call, so that the next one was tried. */
export const FailedAccount = Type.Object({
  account: Type.String({ maxLength: 64 }),
  sip_status: nullable(Type.Integer({ description: "the carrier's final answer, if it gave one" })),
  why: Type.String({ maxLength: 500, description: 'in words' }),
})
export type FailedAccount = Static<typeof FailedAccount>

/** How a dial went once it was taken. */
export const DialResult = Type.Object({
  outcome: oneOf(['answered', 'busy', 'no_answer', 'dial_failed']),
  sip_status: nullable(Type.Integer({ description: "the far end's final answer, if it refused" })),
  sip_reason: nullable(Type.String({ description: 'what the far end wrote beside it' })),
  why: nullable(Type.String({ description: 'in words; null if the call was answered' })),
  account: nullable(
    Type.String({ description: 'the carrier account that it went through; null if it went through none' }),
  ),
  failed_accounts: Type.Array(FailedAccount, {
    description: 'the accounts that were tried before, in their order',
  }),
})
export type DialResult = Static<typeof DialResult>

/** The row of a dial, taken or refused, and how it went; how the call ended is in its log. */
export const Dial = Type.Object({
  id: Type.String(),
  at: Instant,
  env: EnvironmentName,
  agent: Type.String(),
  kind: oneOf(dialKinds),
  to: Type.String(),
  from: nullable(Type.String()),
  call: nullable(Type.String()),
  by: Type.String({ description: "a member's id, or the label of a key without a member" }),
  outcome: oneOf(['taken', 'refused']),
  status: Type.Integer(),
  reason: nullable(
    Type.String({
      description: `null when taken, else one of ${dialReasons.join(', ')}, or not_opened if the call itself was refused, as by a quota`,
    }),
  ),
  result: orNull(DialResult),
})
export type Dial = Static<typeof Dial>

export const DialsAsked = Type.Object({
  after: Type.Optional(Type.String({ description: 'the `next` of the page before' })),
})
export type DialsAsked = Static<typeof DialsAsked>

export const DialPage = Type.Object({
  dials: Type.Array(Dial, { description: 'newest first, 100 at most; none is ever changed' }),
  next: nullable(Type.String({ description: 'null on the last page' })),
})
export type DialPage = Static<typeof DialPage>

const HoursAsked = Type.Object({
  start: Type.String({ description: '00:00 to 23:59' }),
  end: Type.String({ description: 'later than the start, up to 24:00' }),
  days: Type.Optional(
    Type.Array(Type.String(), { description: `of ${weekdays.join(', ')}; default: every day` }),
  ),
})

export const CallingHours = Type.Object({
  start: Type.String(),
  end: Type.String(),
  days: Type.Array(oneOf(weekdays)),
})
export type CallingHours = Static<typeof CallingHours>

/** Named fields change, null restores the default. */
export const ChangePolicy = Type.Object({
  calling_hours: Type.Optional(nullable(HoursAsked)),
  consent_everywhere: Type.Optional(nullable(Type.Boolean())),
  per_number_day: Type.Optional(nullable(Type.Integer({ description: '1 to 100, in every country' }))),
  per_minute: Type.Optional(nullable(Type.Integer({ description: "1 up to the operator's" }))),
  per_day: Type.Optional(nullable(Type.Integer({ description: "1 up to the operator's" }))),
})
export type ChangePolicy = Static<typeof ChangePolicy>

export const DialPolicy = Type.Object({
  calling_hours: nullable(CallingHours),
  consent_everywhere: Type.Boolean({
    description: 'whether every country needs a consent, and not +1 alone',
  }),
  per_number_day: nullable(Type.Integer({ description: 'null is 3 for a +1 number and no limit elsewhere' })),
  per_minute: Type.Integer({ description: 'dials in 60 seconds, the refused ones counted' }),
  per_day: Type.Integer({ description: 'dials taken in 24 hours' }),
})
export type DialPolicy = Static<typeof DialPolicy>

/** Named fields change, null restores the default. */
export const ChangeDialLimits = Type.Object({
  dial_anywhere: Type.Optional(nullable(Type.Boolean())),
  per_minute: Type.Optional(nullable(Type.Integer({ description: '0 is none at all' }))),
  per_day: Type.Optional(nullable(Type.Integer({ description: '0 is none at all' }))),
  max_duration_s: Type.Optional(nullable(Type.Integer({ description: '1 to 86400' }))),
})
export type ChangeDialLimits = Static<typeof ChangeDialLimits>

export const DialLimits = Type.Object({
  dial_anywhere: Type.Boolean({ description: 'whether numbers are dialled that never called or wrote' }),
  per_minute: Type.Integer(),
  per_day: Type.Integer(),
  max_duration_s: Type.Integer({ description: 'the longest a placed call runs' }),
})
export type DialLimits = Static<typeof DialLimits>

/** What a dial is judged under. */
export const DialGuards = Type.Interface([DialPolicy, DialLimits], {})
export type DialGuards = DialPolicy & DialLimits

export const guardNames = [
  'shape',
  'from',
  'holder',
  'stranger',
  'list',
  'consent',
  'hours',
  'per_minute',
  'per_day',
  'per_number_day',
] as const
export type GuardName = (typeof guardNames)[number]

const StandingFact = Type.Object({
  id: Type.String(),
  kind: nullable(oneOf(consentKinds)),
  source: nullable(Type.String()),
  by: Type.String(),
  call: nullable(Type.String()),
  at: Instant,
})
export type StandingFact = Static<typeof StandingFact>

const ZoneSeen = Type.Object({
  zone: Type.String(),
  local: Type.String({ description: 'the time there, as `mon 08:30`' }),
  inside: Type.Boolean(),
})
export type ZoneSeen = Static<typeof ZoneSeen>

const FromSeen = Type.Object({
  number: Type.String(),
  account: nullable(Type.String()),
  why_not: nullable(Type.String({ description: 'why nothing is dialled from it' })),
})

/** Each guard has its own of these. */
export const GuardSeen = Type.Object({
  calling_code: Type.Optional(nullable(Type.String())),
  national_digits: Type.Optional(Type.Integer()),
  from: Type.Optional(nullable(Type.String({ description: 'what would be dialled from' }))),
  numbers: Type.Optional(Type.Array(FromSeen, { description: "the agent's, oldest first" })),
  held: Type.Optional(Type.Boolean({ description: 'whether an app holds the agent' })),
  known: Type.Optional(Type.Boolean({ description: 'whether the number called or wrote before' })),
  dial_anywhere: Type.Optional(Type.Boolean()),
  standing: Type.Optional(oneOf(standings)),
  fact: Type.Optional(Type.Unsafe<StandingFact | null>({ ...StandingFact, type: ['object', 'null'] })),
  needed: Type.Optional(Type.Boolean({ description: 'whether a consent is needed at all' })),
  sent: Type.Optional(Type.Boolean({ description: 'whether a consent came with the dial' })),
  hours: Type.Optional(nullable(CallingHours)),
  zones: Type.Optional(Type.Array(ZoneSeen, { description: 'where the number could be' })),
  used: Type.Optional(Type.Integer()),
  most: Type.Optional(nullable(Type.Integer({ description: 'null is no limit' }))),
  left: Type.Optional(nullable(Type.Integer())),
})
export type GuardSeen = Static<typeof GuardSeen>

export const JudgedGuard = Type.Object({
  guard: oneOf(guardNames),
  verdict: oneOf(['pass', 'refuse', 'exempt']),
  exempt_by: nullable(oneOf(['sandbox', 'own_phone'])),
  status: nullable(Type.Integer()),
  reason: nullable(oneOf(dialReasons)),
  detail: nullable(Type.String({ description: 'the refusal a dial would get' })),
  saw: GuardSeen,
})
export type JudgedGuard = Static<typeof JudgedGuard>

export const ExplainAsked = Type.Object({
  to: Type.Optional(Type.String({ description: 'E.164' })),
  extension: Type.Optional(Type.String({ description: 'in place of to: an extension of a SIP account' })),
  account: Type.Optional(Type.String({ description: 'of the extension' })),
  from: Type.Optional(Type.String()),
})
export type ExplainAsked = Static<typeof ExplainAsked>

/** The answer a dial would get now, and why. */
export const ExplainedDial = Type.Object({
  to: Type.String(),
  from: nullable(Type.String()),
  agent: Type.String(),
  env: EnvironmentName,
  at: Instant,
  would: oneOf(['pass', 'refuse']),
  status: Type.Integer({ description: '202, or that of the first guard that refuses' }),
  reason: nullable(oneOf(dialReasons)),
  detail: nullable(Type.String()),
  guards: Type.Array(JudgedGuard, { description: 'in the order of the checks; the first refusal decides' }),
})
export type ExplainedDial = Static<typeof ExplainedDial>
