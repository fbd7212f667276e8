import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import { secondMs } from '../../foundation/clock.ts'
import type { NumberRelease } from './number-release.ts'

/** Also what a gateway that died left behind. */
export const carrierReleaseTask = (numberRelease: NumberRelease): PeriodicTask => ({
  name: 'finish releases at the carrier',
  everyMs: 5 * secondMs,
  runsAtStart: true,
  run: (signal) => numberRelease.finishAll(signal),
})
