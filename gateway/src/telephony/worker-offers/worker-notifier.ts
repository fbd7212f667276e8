import type { Environment } from '@switchroom/contract/scopes'
import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import type { Queryable } from '../../database/database.ts'
import type { Signals } from '../../database/signals.ts'
import { later, secondMs, type Clock } from '../../foundation/clock.ts'
import { findWaiting } from './worker-notifier.store.ts'
import { Wakeups } from './wakeups.ts'

/** With the environment of a call that waits for a worker. */
const offeredChannel = 'placement_offered'
/** With a call that a worker took, or whose outcome it reported. */
const movedChannel = 'placement_moved'
/** An offer whose notice was lost waits no longer; who offered it looks every second. */
const checkEveryMs = 2 * secondMs
/** Older ones are given up. */
const offeredForMs = 15 * secondMs

interface WorkerNotifierParts {
  database: Queryable
  clock: Clock
  signals: Pick<Signals, 'on' | 'send'>
}

/** Wakes workers that wait for a call, and requests that wait for a worker, on every gateway. */
export class WorkerNotifier {
  /** By environment. */
  readonly forWorkers = new Wakeups()
  readonly forCalls = new Wakeups()
  readonly task: PeriodicTask = {
    name: 'find offers whose notice was lost',
    everyMs: checkEveryMs,
    run: () => this.check(),
  }
  readonly #parts: WorkerNotifierParts

  constructor(parts: WorkerNotifierParts) {
    this.#parts = parts
    const wakeBoth = () => (this.forCalls.wakeAll(), this.forWorkers.wakeAll())
    parts.signals.on(offeredChannel, (env) => this.forWorkers.wake(env), wakeBoth)
    parts.signals.on(movedChannel, (call) => this.forCalls.wake(call))
  }

  /** After the commit. */
  offered(env: Environment) {
    this.#parts.signals.send(offeredChannel, env)
  }

  /** After the commit: with a call, or a test of a trunk. */
  moved(call: string) {
    this.#parts.signals.send(movedChannel, call)
  }

  async check() {
    const { database, clock } = this.#parts
    if (!this.forWorkers.isAwaited) return
    const waiting = await findWaiting(database, later(clock.now(), -offeredForMs))
    for (const { env } of waiting) this.forWorkers.wake(env)
  }
}
