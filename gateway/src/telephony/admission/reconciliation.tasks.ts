import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import type { DueChecks } from '../../database/due-checks.ts'
import { secondMs } from '../../foundation/clock.ts'
import type { Reconciliation } from './reconciliation.ts'

/** Runs once the gateway listens; a run is due at the start. */
export function reconciliationTask(reconciliation: Reconciliation, dueChecks: DueChecks): PeriodicTask {
  reconciliation.begin()
  return {
    name: 'reconcile media planes',
    everyMs: 2 * secondMs,
    runsAtStart: true,
    run: (signal) => {
      const poll = () => reconciliation.poll(signal)
      const { leftOver } = reconciliation
      return leftOver ? dueChecks.runIfAny(leftOver, poll) : poll()
    },
  }
}
