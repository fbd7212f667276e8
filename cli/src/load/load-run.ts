import { setTimeout as sleep } from 'node:timers/promises'
import type { Environment } from '@switchroom/contract/scopes'
import type { GatewayClient } from '../gateway/gateway-client.ts'
import { interrupted } from '../terminal/failures.ts'
import { LoadOrg, refuseWithoutOperatorKey } from './deployment/load-org.ts'
import type { ScrapedMetrics } from './deployment/scraped-metrics.ts'
import { Measurements } from './measuring/measurements.ts'
import { OwnDelays } from './measuring/own-delays.ts'
import type { LoadPlan } from './plan/load-plan.ts'
import { spelledMs } from './plan/quantities.ts'
import { seededRandom } from './plan/seeded-random.ts'
import { targetsFor } from './plan/targets.ts'
import { paceOf, runPaced, type Pace } from './profiles/paced-places.ts'
import { LoadRefused } from './load-refused.ts'
import type { Profile, Recorder } from './profiles/profile.ts'
import type { ProfileName } from './plan/profile-names.ts'
import { reportOf, type Ran } from './reports/making-report.ts'
import type { LoadReport } from './reports/load-report.ts'

export interface LoadRun {
  plan: LoadPlan
  operator: GatewayClient
  env: Environment
  metrics: ScrapedMetrics | undefined
  /** Makes the profile ready in the run's org; what it made is taken back by the org's leftovers. */
  prepare: (name: ProfileName, org: LoadOrg, recorder: Recorder, pace: Pace) => Promise<Profile>
  /** Tells a person how far the run is. */
  note: (sentence: string) => void
  /** Ends the run early; what it made is removed all the same. */
  signal: AbortSignal
}

/** Before the load comes, each profile does its thing once; it has so many tries of at most so long. */
const trials = 3
const trialMs = 90_000

/** Loads a deployment as planned, removes what it made, and answers what it measured. */
export async function runLoad(run: LoadRun): Promise<LoadReport> {
  const { plan, operator, env, signal, note } = run
  const version = await refuseWithoutOperatorKey(operator)
  await run.metrics?.refuseUnreadable()
  const runMs = plan.steps.at(-1)?.toMs ?? 0
  const paces = new Map(
    [...plan.loads].map(([name, load]) => [name, paceOf(load, plan.everyMs ?? usualEveryMs[name])]),
  )
  const atOnce = [...paces.values()].reduce((sum, { places }) => sum + places, 0)
  const org = await LoadOrg.open({ operator, env, runMs, atOnce })
  const removed = async () => {
    note('Removing what the run made.')
    return org.leftovers.remove()
  }
  try {
    const report = reportOf(await measure(run, org, version, paces))
    const left_behind = await removed()
    if (!signal.aborted) return { ...report, left_behind }
    for (const sentence of left_behind) note(sentence)
    throw interrupted()
  } finally {
    for (const sentence of org.leftovers.isEmpty ? [] : await removed()) note(sentence)
  }
}

async function measure(
  run: LoadRun,
  org: LoadOrg,
  version: string,
  paces: ReadonlyMap<ProfileName, Pace>,
): Promise<Ran> {
  const { plan, env, signal, note } = run
  const measurements = new Measurements()
  const profiles: { profile: Profile; pace: Pace }[] = []
  for (const [name, pace] of paces) {
    if (signal.aborted) throw interrupted()
    note(`Preparing ${name}.`)
    const profile = await run.prepare(name, org, measurements, pace)
    profiles.push({ profile, pace })
    if (!signal.aborted) await tryOut(profile, measurements, signal)
  }
  const { steps, seed } = plan
  const random = seededRandom(seed)
  const startedAt = new Date()
  measurements.begin()
  using ownDelays = new OwnDelays(() => measurements.nowMs)
  const deployment: (Record<string, number> | null)[] = []
  const watching = watchSteps(run, measurements, deployment)
  await Promise.all(
    profiles.map(({ profile, pace }) =>
      runPaced({ profile, pace, steps, random, recorder: measurements, signal }),
    ),
  )
  await watching
  const usual = Object.fromEntries(
    profiles.flatMap(({ profile }) => profile.series.map(({ name, usualTargets }) => [name, usualTargets])),
  )
  const main = profiles.map(({ profile }) => profile.series[0]?.name ?? profile.name)
  return {
    profile: plan.profile,
    seed,
    gateway: { url: run.operator.url, version, env },
    startedAt,
    profiles,
    steps,
    measurements,
    ownDelays,
    mostOwnDelayMs: plan.mostOwnDelayMs,
    targets: targetsFor(plan.targets, usual, main),
    deployment,
  }
}

/** A deployment that cannot do it once need not be loaded; the first of all may take longer than any later one. */
async function tryOut(profile: Profile, measurements: Measurements, signal: AbortSignal): Promise<void> {
  let why = ''
  for (let trial = 0; trial < trials && !signal.aborted; trial += 1) {
    measurements.begin()
    const place = profile.place(0)
    const either = AbortSignal.any([signal, AbortSignal.timeout(trialMs)])
    await place.perform({ atMs: 0 }, either)
    await place.leave()
    const [failure] = measurements.failures
    if (!failure && !either.aborted) return
    why = failure?.sentence ?? `it was not over after ${spelledMs(trialMs)}`
  }
  if (!signal.aborted)
    throw new LoadRefused(
      `the trial of ${profile.name} before the run failed, so the run would measure nothing: ${why}`,
    )
}

async function watchSteps(
  { plan, metrics, note, signal }: LoadRun,
  measurements: Measurements,
  deployment: (Record<string, number> | null)[],
): Promise<void> {
  for (const { fromMs, toMs, share } of plan.steps) {
    if (signal.aborted) return
    note(`${Math.round(100 * share)}% of the load for ${spelledMs(toMs - fromMs)}.`)
    await sleep(Math.max(0, toMs - measurements.nowMs), undefined, { signal }).catch(() => {})
    deployment.push((await metrics?.read()) ?? null)
  }
}

/** How often one place does something, unless `--every` says. */
const usualEveryMs: Readonly<Record<ProfileName, number>> = {
  chats: 5_000,
  webhooks: 5_000,
  dials: 10_000,
  calls: 10_000,
}
