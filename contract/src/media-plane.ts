import { Type, type Static } from 'typebox'
import { FailedAccount } from './dialling.ts'
import { EnvironmentName } from './scope-schemas.ts'
import { orNull } from './settings.ts'
import { FenceTerms, Trunk } from './trunk-terms.ts'
import { TrunkTestStep, TrunkTestTask } from './trunk-tests.ts'

const WorkerName = Type.String({ minLength: 1, maxLength: 128, description: 'the worker that asks' })

export const FencesAsked = Type.Object({
  env: EnvironmentName,
  after: Type.Optional(
    Type.String({
      description: 'the version already known: answers when there is another, or after 25 seconds',
    }),
  ),
  changes: Type.Optional(
    Type.Boolean({
      description: 'whether only what is different since `after` will do; else all fences are answered',
    }),
  ),
})
export type FencesAsked = Static<typeof FencesAsked>

const Pair = Type.Object({ username: Type.String(), password: Type.String() })

/** Who may send calls to which numbers. */
export const WorkerFence = Type.Object({
  name: Type.String(),
  networks: Type.Array(Type.String(), { description: 'IPv4 networks that calls may come from' }),
  numbers: Type.Array(Type.String(), { description: 'the numbers that they may call' }),
  pair: orNull(Pair),
  fleet: Type.String({ description: 'the workers that answer' }),
  ...FenceTerms.properties,
})
export type WorkerFence = Static<typeof WorkerFence>

/** All fences, or those that are different since a version. */
export const WorkerFences = Type.Object({
  version: Type.String({ description: 'another whenever a fence is' }),
  fences: Type.Optional(
    Type.Array(WorkerFence, {
      description: 'all of them; absent if `changed` and `removed` say what is different since `after`',
    }),
  ),
  changed: Type.Optional(Type.Array(WorkerFence, { description: 'those that are new or other than before' })),
  removed: Type.Optional(Type.Array(Type.String(), { description: 'the names of those that are gone' })),
})
export type WorkerFences = Static<typeof WorkerFences>

export const TakePlacement = Type.Object({
  worker: WorkerName,
  wait_s: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 25, description: 'how long to wait for a call; default 25' }),
  ),
  tests: Type.Optional(Type.Boolean({ description: 'whether the worker tests trunks, too' })),
})
export type TakePlacement = Static<typeof TakePlacement>

/** An account of the org, and the trunk that calls leave through it by. */
export const CarrierRoute = Type.Object({ account: Type.String(), trunk: Trunk })
export type CarrierRoute = Static<typeof CarrierRoute>

/** A call to dial, and the trunk to dial it through. */
export const Placement = Type.Object({
  call: Type.String(),
  org: Type.String(),
  env: EnvironmentName,
  agent: Type.String(),
  to: Type.String(),
  from: Type.String(),
  trunk: Trunk,
  account: Type.Optional(Type.String({ description: 'the carrier account of the trunk' })),
  fallbacks: Type.Optional(
    Type.Array(CarrierRoute, { description: 'to try in this order if the trunk cannot carry the call' }),
  ),
  max_duration_s: Type.Integer({ description: 'the longest the call may be, its ring included' }),
})
export type Placement = Static<typeof Placement>

export const registrationStates = ['trying', 'registered', 'refused'] as const

/** What a worker does at a registrar, every ten seconds; what it does not name it has not. */
export const TellRegistrations = Type.Object({
  worker: WorkerName,
  env: EnvironmentName,
  draining: Type.Optional(Type.Boolean({ description: 'it takes no more, and gives back what it has' })),
  registrations: Type.Array(
    Type.Object({
      id: Type.String(),
      state: Type.Unsafe<(typeof registrationStates)[number]>({
        type: 'string',
        enum: [...registrationStates],
      }),
      for_s: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400, description: 'if registered' })),
      says: Type.Optional(Type.String({ maxLength: 300, description: 'why not' })),
    }),
    { maxItems: 1000 },
  ),
})
export type TellRegistrations = Static<typeof TellRegistrations>

/** The users that this worker keeps registered, and no other worker does, for so many seconds from its request on. */
export const HeldRegistrations = Type.Object({
  lease_s: Type.Integer(),
  registrations: Type.Array(
    Type.Object({
      id: Type.String(),
      fence: Type.String({ description: 'the fence that its calls come through' }),
      username: Type.String(),
      trunk: Trunk,
    }),
  ),
})
export type HeldRegistrations = Static<typeof HeldRegistrations>

/** A browser's call to answer. */
export const BrowserOffer = Type.Object({
  call: Type.String(),
  org: Type.String(),
  env: EnvironmentName,
  agent: Type.String(),
  sdp: Type.String(),
})
export type BrowserOffer = Static<typeof BrowserOffer>

export const TakenPlacement = Type.Object({
  placement: orNull(Placement),
  offer: orNull(BrowserOffer),
  test: Type.Optional(TrunkTestTask),
})
export type TakenPlacement = Static<typeof TakenPlacement>

export const placingOutcomes = ['answered', 'busy', 'no_answer', 'dial_failed'] as const

/** How a dial went. */
const dialTold = {
  outcome: Type.Optional(
    Type.Unsafe<(typeof placingOutcomes)[number]>({ type: 'string', enum: [...placingOutcomes] }),
  ),
  sip_status: Type.Optional(
    Type.Integer({
      minimum: 300,
      maximum: 699,
      description: "the far end's final answer, if it refused",
    }),
  ),
  sip_reason: Type.Optional(
    Type.String({ maxLength: 200, description: 'what the far end wrote beside it; only with `sip_status`' }),
  ),
  why: Type.Optional(
    Type.String({ maxLength: 500, description: 'one sentence for people, if the call was not answered' }),
  ),
}
const DialTold = Type.Object(dialTold)
export type DialTold = Static<typeof DialTold>

export const TellPlacement = Type.Object({
  worker: WorkerName,
  ...dialTold,
  account: Type.Optional(
    Type.String({ maxLength: 64, description: 'the account that the call went through in the end' }),
  ),
  failed_accounts: Type.Optional(
    Type.Array(FailedAccount, { maxItems: 8, description: 'those that were tried before it' }),
  ),
})
export type TellPlacement = Static<typeof TellPlacement>

export const TrunkTestParams = Type.Object({ id: Type.String({ maxLength: 64 }) })

/** What a test of a trunk found. */
export const TellTrunkTest = Type.Object({
  worker: WorkerName,
  steps: Type.Array(TrunkTestStep, { maxItems: 8 }),
  dial: Type.Optional(DialTold),
})
export type TellTrunkTest = Static<typeof TellTrunkTest>

export const ToldTrunkTest = Type.Object({ id: Type.String() })

export const ToldPlacement = Type.Object({
  call: Type.String(),
  outcome: Type.Unsafe<(typeof placingOutcomes)[number]>({ type: 'string', enum: [...placingOutcomes] }),
})
export type ToldPlacement = Static<typeof ToldPlacement>

/** How a worker answers a browser's offer; a refusal is one sentence for the person. */
export const AnswerOffer = Type.Object({
  worker: WorkerName,
  sdp: Type.Optional(Type.String()),
  refused: Type.Optional(Type.String()),
  reconnect: Type.Optional(Type.Integer({ description: 'which offer of a running call this answers' })),
})
export type AnswerOffer = Static<typeof AnswerOffer>

/** Whose browser reconnects. */
export const ReconnectAsked = Type.Object({ worker: WorkerName })

/** What the browser of a running call offers anew; its answer names which of them it answers. */
export const Reconnect = Type.Object({ sdp: Type.String(), reconnect: Type.Integer() })
export type Reconnect = Static<typeof Reconnect>

/** What a worker says of itself, every ten seconds. */
export const WorkerBeat = Type.Object({
  worker: WorkerName,
  env: EnvironmentName,
  calls: Type.Integer({ minimum: 0, description: 'that it runs now' }),
  capacity: Type.Integer({ minimum: 0, description: 'how many it would run at most' }),
  draining: Type.Boolean({ description: 'whether it takes no more, and stops when its calls are over' }),
})
export type WorkerBeat = Static<typeof WorkerBeat>

/** What the gateway reports to a worker about the others. */
export const BeatTold = Type.Object({
  full: Type.Boolean({ description: 'whether no worker of the environment could run one more call' }),
})
export type BeatTold = Static<typeof BeatTold>

const Instant = Type.Integer({ description: 'epoch seconds' })

export const WorkerList = Type.Object({
  workers: Type.Array(Type.Object({ ...WorkerBeat.properties, started_at: Instant, beat_at: Instant })),
})
export type WorkerList = Static<typeof WorkerList>
