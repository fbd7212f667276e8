import { availableParallelism, cpus } from 'node:os'
import type { Measurements } from '../measuring/measurements.ts'
import type { OwnDelays } from '../measuring/own-delays.ts'
import { percentilesOf } from '../measuring/percentiles.ts'
import type { Step } from '../plan/steps.ts'
import type { Target } from '../plan/targets.ts'
import type { Pace } from '../profiles/paced-places.ts'
import type { Profile } from '../profiles/profile.ts'
import type { LoadReport, StepReport, TimelinePoint } from './load-report.ts'
import { judge } from './verdict.ts'

const mostPoints = 60
const shortestPointMs = 1_000

export interface Ran {
  profile: string
  seed: number
  gateway: LoadReport['gateway']
  startedAt: Date
  profiles: readonly { profile: Profile; pace: Pace }[]
  steps: readonly Step[]
  measurements: Measurements
  ownDelays: OwnDelays
  mostOwnDelayMs: number
  targets: readonly (Target & { series: string })[]
  /** By step. */
  deployment: readonly (Record<string, number> | null)[]
}

export function reportOf(ran: Ran): LoadReport {
  const { profiles, steps, measurements } = ran
  const names = profiles.flatMap(({ profile }) => profile.series.map(({ name }) => name))
  const reported = steps.map((step, at) => stepOf(ran, names, step, at))
  const held = reported.at(-1)
  if (!held) throw new Error('a run has a step')
  return {
    version: 1,
    ...judge(held, ran.targets, ran.mostOwnDelayMs),
    profile: ran.profile,
    seed: ran.seed,
    gateway: ran.gateway,
    generator: {
      node: process.versions.node,
      cores: availableParallelism(),
      machine: cpus()[0]?.model ?? 'unknown',
    },
    started_at: ran.startedAt.toISOString(),
    seconds: (steps.at(-1)?.toMs ?? 0) / 1_000,
    series: profiles.flatMap(({ profile, pace }) =>
      profile.series.map(({ name, title }) => ({
        name,
        title,
        places: pace.places,
        every_s: pace.everyMs / 1_000,
      })),
    ),
    steps: reported,
    failures: measurements.failures,
    timeline: timelineOf(ran, names),
    left_behind: [],
  }
}

function stepOf(
  { measurements, ownDelays, deployment }: Ran,
  names: string[],
  step: Step,
  at: number,
): StepReport {
  const seconds = (step.toMs - step.fromMs) / 1_000
  const series = names.map((name) => {
    const { latenciesMs, failed, finished } = measurements.between(name, step)
    const done = latenciesMs.length
    return [
      name,
      { done, failed, per_s: finished / seconds, latency_ms: percentilesOf(latenciesMs) },
    ] as const
  })
  return {
    from_s: step.fromMs / 1_000,
    to_s: step.toMs / 1_000,
    share: step.share,
    series: Object.fromEntries(series),
    generator: ownDelays.within(step),
    deployment: deployment[at] ?? null,
  }
}

function timelineOf({ steps, measurements }: Ran, names: readonly string[]): TimelinePoint[] {
  const endMs = steps.at(-1)?.toMs ?? 0
  const everyMs = Math.max(shortestPointMs, endMs / mostPoints)
  return Array.from({ length: Math.ceil(endMs / everyMs) }, (_, at) => {
    const [fromMs, toMs] = [at * everyMs, Math.min(endMs, (at + 1) * everyMs)]
    const series = names.map((name) => {
      const { latenciesMs, failed, finished } = measurements.between(name, { fromMs, toMs })
      const seen = percentilesOf(latenciesMs)
      const per_s = (finished * 1_000) / (toMs - fromMs)
      return [name, { p50_ms: seen?.p50 ?? null, p95_ms: seen?.p95 ?? null, per_s, failed }] as const
    })
    return { at_s: (fromMs + toMs) / 2_000, series: Object.fromEntries(series) }
  })
}
