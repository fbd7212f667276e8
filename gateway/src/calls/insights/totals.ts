import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import type { DueChecks } from '../../database/due-checks.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { dayMs, secondMs, type Clock } from '../../foundation/clock.ts'
import * as store from './totals.store.ts'
import { waitCount, waitOf } from './waits.ts'

const callsAtOnce = 200
/** Overviews in hours reach two days back. */
const hoursKeptMs = 3 * dayMs
/** Overviews in days reach twice 90 days back. */
const olderMs = 181 * dayMs

/** Adds each call to the totals of its agent once it has ended. */
export class CallTotals {
  readonly #database: Database
  readonly #clock: Clock
  readonly task: PeriodicTask

  constructor(database: Database, clock: Clock, dueChecks: DueChecks) {
    this.#database = database
    this.#clock = clock
    const run = () => dueChecks.runIfAny(store.uncountedCheck(), () => this.count())
    this.task = { name: 'add ended calls to the totals', everyMs: 2 * secondMs, run }
  }

  /** All that wait. */
  async count() {
    while ((await this.#database.transaction((tx) => this.#countSome(tx))) === callsAtOnce);
  }

  /** Of calls from before there were totals, a few at a time. */
  readonly fill = (tx: Transaction, calls: readonly string[]) =>
    store.queueOlder(tx, calls, new Date(this.#clock.now().getTime() - olderMs))

  async #countSome(tx: Transaction): Promise<number> {
    const calls = await store.takeEnded(tx, callsAtOnce)
    if (calls.length === 0) return 0
    const totals = new Map<string, store.Total>()
    for (const call of calls)
      for (const unit of ['hour', 'day'] as const) {
        const { org, env, agent, [unit]: at } = call
        const key = JSON.stringify([org, env, unit, at, agent])
        const total = totals.get(key) ?? { org, env, unit, at, agent, ...nothing() }
        totals.set(key, total)
        addTo(total, call)
      }
    await store.addTotals(tx, [...totals.values()])
    const orgs = [...new Set(calls.map(({ org }) => org))]
    await store.deleteHours(tx, orgs, new Date(this.#clock.now().getTime() - hoursKeptMs))
    return calls.length
  }
}

export const nothing = () => ({
  calls: 0,
  seconds: 0,
  errors: 0,
  with_errors: 0,
  credits: 0,
  reasons: {} as Record<string, number>,
  heard: Array.from({ length: waitCount }, () => 0),
})

function addTo(total: store.Total, { seconds, errors, credits, reason, waits }: store.EndedCall) {
  total.calls += 1
  total.seconds += seconds
  total.errors += errors
  total.with_errors += errors > 0 ? 1 : 0
  total.credits += credits
  total.reasons[reason] = (total.reasons[reason] ?? 0) + 1
  for (const ms of waits) total.heard[waitOf(ms)] = (total.heard[waitOf(ms)] ?? 0) + 1
}
