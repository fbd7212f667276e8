import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import { secondMs } from '../../foundation/clock.ts'
import type { Reconciliation } from './reconciliation.ts'

/** Runs once the gateway listens; a run is due at the start. */
export function reconciliationTask(reconciliation: Reconciliation): PeriodicTask {
  reconciliation.begin()
  return {
    name: 'reconcile media planes',
    everyMs: secondMs,
    runsAtStart: true,
    run: (signal) => reconciliation.poll(signal),
  }
}
