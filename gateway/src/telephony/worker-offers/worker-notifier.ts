import type { Signals } from '../../database/signals.ts'
import { Wakeups } from './wakeups.ts'

/** With the environment of a call that waits for a worker. */
export const offeredChannel = 'placement_offered'
/** With a call that a worker took, or whose outcome it reported. */
export const movedChannel = 'placement_moved'

/** Wakes workers that wait for a call, and requests that wait for a worker, on every gateway. */
export class WorkerNotifier {
  /** By environment. */
  readonly forWorkers = new Wakeups()
  readonly forCalls = new Wakeups()

  constructor(signals: Pick<Signals, 'on'>) {
    const wakeBoth = () => (this.forCalls.wakeAll(), this.forWorkers.wakeAll())
    signals.on(offeredChannel, (env) => this.forWorkers.wake(env), wakeBoth)
    signals.on(movedChannel, (call) => this.forCalls.wake(call))
  }
}
