import {
  overviewPeriods,
  type Overview,
  type OverviewAsked,
  type OverviewFigures,
  type OverviewPeriod,
} from '@switchroom/contract/insights'
import type { Database } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { dayMs, hourMs, secondMs, type Clock } from '../../foundation/clock.ts'
import { badRequest } from '../../foundation/refusals.ts'
import * as store from './totals.store.ts'
import { nothing } from './totals.ts'
import { waitAt } from './waits.ts'

/** How many hours or days each period has; the last of them has only begun. */
const periods: Record<OverviewPeriod, { unit: 'hour' | 'day'; count: number }> = {
  '24h': { unit: 'hour', count: 24 },
  '7d': { unit: 'day', count: 7 },
  '30d': { unit: 'day', count: 30 },
  '90d': { unit: 'day', count: 90 },
}
const lengthMs = { hour: hourMs, day: dayMs }

type Sum = ReturnType<typeof nothing>

/** What an org's calls come to, read from totals: as fast with ten million calls as with ten. */
export class Overviews {
  readonly #database: Database
  readonly #clock: Clock

  constructor(database: Database, clock: Clock) {
    this.#database = database
    this.#clock = clock
  }

  async read(caller: Caller, { period: said = '7d', agent }: OverviewAsked): Promise<Overview> {
    const period = overviewPeriods.find((each) => each === said)
    if (!period) throw badRequest(`period is one of ${overviewPeriods.join(', ')}`)
    const { unit, count } = periods[period]
    const stepMs = lengthMs[unit]
    const end = Math.floor(this.#clock.now().getTime() / stepMs) * stepMs + stepMs
    const start = end - count * stepMs
    const agents = agent === undefined ? (caller.agents.length > 0 ? caller.agents : null) : [agent]
    const { org, env } = caller
    const asked = { org, env, unit, agents, from: new Date(start - count * stepMs), to: new Date(end) }
    const [rows, live] = await Promise.all([
      store.readTotals(this.#database, asked),
      store.countLive(this.#database, asked),
    ])
    const steps = Array.from({ length: 2 * count }, nothing)
    for (const row of rows) {
      const sum = steps[Math.round((row.at * secondMs - asked.from.getTime()) / stepMs)]
      if (sum) addAll(sum, row)
    }
    const [before, now] = [steps.slice(0, count), steps.slice(count)]
    const [sumBefore, sumNow] = [summed(before), summed(now)]
    return {
      world: env,
      period,
      from: start / secondMs,
      to: end / secondMs,
      step: unit,
      live,
      now: figuresOf(sumNow),
      before: figuresOf(sumBefore),
      points: now.map((sum, at) => ({ from: (start + at * stepMs) / secondMs, ...figuresOf(sum) })),
      reasons: reasonsOf(sumNow.reasons, sumBefore.reasons),
    }
  }
}

function addAll(sum: Sum, more: Sum) {
  for (const name of ['calls', 'seconds', 'errors', 'with_errors', 'credits'] as const)
    sum[name] += more[name]
  for (const [reason, count] of Object.entries(more.reasons))
    sum.reasons[reason] = (sum.reasons[reason] ?? 0) + count
  for (const [at, count] of more.heard.entries()) sum.heard[at] = (sum.heard[at] ?? 0) + count
}

function summed(sums: readonly Sum[]): Sum {
  const all = nothing()
  for (const sum of sums) addAll(all, sum)
  return all
}

const figuresOf = ({ calls, seconds, errors, with_errors, credits, heard }: Sum): OverviewFigures => ({
  calls,
  minutes: Math.round((seconds / 60) * 10) / 10,
  errors,
  calls_with_errors: with_errors,
  credits: Math.round(credits * 1e6) / 1e6,
  heard_p50_ms: waitAt(0.5, heard),
  heard_p95_ms: waitAt(0.95, heard),
})

const reasonsOf = (now: Record<string, number>, before: Record<string, number>) =>
  [...new Set([...Object.keys(now), ...Object.keys(before)])]
    .map((reason) => ({ reason, calls: now[reason] ?? 0, before: before[reason] ?? 0 }))
    .toSorted((a, b) => b.calls - a.calls || b.before - a.before)
