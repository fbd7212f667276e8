import { Type, type Static } from 'typebox'
import { EnvironmentName } from './scope-schemas.ts'
import { nullable, oneOf } from './shapes.ts'
import { Trunk } from './trunk-terms.ts'

/** In the order in which they are tried; the first that fails is the last that is tried. */
export const trunkTestSteps = [
  'location',
  'connection',
  'options',
  'registration',
  'guards',
  'call',
  'sound',
  'hangup',
] as const
export type TrunkTestStepName = (typeof trunkTestSteps)[number]

export const trunkTestStates = ['ok', 'failed', 'skipped'] as const

export const TrunkTestStep = Type.Object({
  step: oneOf(trunkTestSteps),
  state: oneOf(trunkTestStates),
  says: Type.String({ maxLength: 500 }),
  fix: nullable(
    Type.String({ maxLength: 500, description: 'what to do about it; null if there is nothing' }),
  ),
  took_ms: Type.Integer({ minimum: 0 }),
})
export type TrunkTestStep = Static<typeof TrunkTestStep>

export const TestTrunk = Type.Object({
  call: Type.Optional(
    Type.String({
      description:
        'a number to call through the trunk: one that echoes, a phone, or a number of the org itself, which then echoes. It is a dial. Without it nobody is called',
    }),
  ),
  from: Type.Optional(
    Type.String({
      description: 'a number of the account to call from; default: its first in the environment',
    }),
  ),
})
export type TestTrunk = Static<typeof TestTrunk>

export const TestedTrunk = Type.Object({
  account: Type.String(),
  host: Type.String({ description: 'where the account is dialled' }),
  ok: Type.Boolean({ description: 'whether no step failed' }),
  failed: nullable(oneOf(trunkTestSteps)),
  steps: Type.Array(TrunkTestStep),
})
export type TestedTrunk = Static<typeof TestedTrunk>

/** What a worker is to try of a trunk: whether it answers, or a call through it. */
export const TrunkTestTask = Type.Object({
  id: Type.String(),
  org: Type.String(),
  env: EnvironmentName,
  trunk: Trunk,
  call: Type.Optional(Type.Object({ to: Type.String(), from: Type.String() })),
})
export type TrunkTestTask = Static<typeof TrunkTestTask>
