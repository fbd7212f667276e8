import { availableParallelism } from 'node:os'

/** As many calls as may come within a second. */
const burst = 10
/** Of a process that waits. */
const processMb = 150
const mb = 2 ** 20

export interface Machine {
  cores: number
  /** That can still be had. */
  memoryBytes: number
}

export const thisMachine = (): Machine => ({
  cores: availableParallelism(),
  memoryBytes: process.availableMemory(),
})

/**
 * For how many calls processes wait: for ten that come at once, if the worker runs so many, but in no more processes
 * than two for each core or than a quarter of the free memory holds.
 */
export function placesAhead(
  { capacity, callsPerProcess }: { capacity: number; callsPerProcess: number },
  { cores, memoryBytes }: Machine,
): number {
  const most = Math.max(1, Math.min(2 * cores, Math.floor(memoryBytes / 4 / (processMb * mb))))
  return Math.min(burst, capacity, most * callsPerProcess)
}
