import type { Signals } from '../../database/signals.ts'
import { Wakeups } from './wakeups.ts'

/** Told with the environment of a call that waits for a worker. */
export const offeredChannel = 'placement_offered'
/** Told with a call that was taken or told of. */
export const movedChannel = 'placement_moved'

/** Wakes workers that wait for a call, and those who wait for a worker, on whichever gateway it happens. */
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
