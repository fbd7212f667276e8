import { Type, type Static } from 'typebox'
import { EnvironmentName } from './scope-schemas.ts'
import { anyOf, nullable, oneOf } from './shapes.ts'

export const overviewPeriods = ['24h', '7d', '30d', '90d'] as const
export type OverviewPeriod = (typeof overviewPeriods)[number]

export const OverviewAsked = Type.Object({
  period: Type.Optional(anyOf(overviewPeriods, 'default 7d')),
  agent: Type.Optional(Type.String({ description: 'of this agent alone' })),
})
export type OverviewAsked = Static<typeof OverviewAsked>

const heard = (share: string) =>
  nullable(
    Type.Integer({
      description: `milliseconds from the end of the caller's speech until they heard the answer: ${share} of the answers, within 5 percent; null if none was spoken`,
    }),
  )

const figures = {
  calls: Type.Integer({ description: 'that were opened then and have ended' }),
  minutes: Type.Number(),
  errors: Type.Integer(),
  calls_with_errors: Type.Integer(),
  credits: Type.Number({ description: 'what usage on lent keys cost' }),
  heard_p50_ms: heard('half'),
  heard_p95_ms: heard('95 of 100'),
}

const Figures = Type.Object(figures)
export type OverviewFigures = Static<typeof Figures>

const Point = Type.Object({ from: Type.Integer({ description: 'epoch seconds' }), ...figures })
export type OverviewPoint = Static<typeof Point>

export const Overview = Type.Object({
  world: EnvironmentName,
  period: oneOf(overviewPeriods),
  from: Type.Integer({ description: 'epoch seconds' }),
  to: Type.Integer({ description: 'epoch seconds' }),
  step: oneOf(['hour', 'day']),
  live: Type.Integer({ description: 'calls that run now' }),
  now: Figures,
  before: Type.Object(figures, { description: 'of the period before, which is as long' }),
  points: Type.Array(Point, { description: 'of each hour or day of UTC, oldest first' }),
  reasons: Type.Array(Type.Object({ reason: Type.String(), calls: Type.Integer(), before: Type.Integer() }), {
    description: 'why calls ended, the most frequent first',
  }),
})
export type Overview = Static<typeof Overview>
