import { setTimeout as sleep } from 'node:timers/promises'
import { silent } from '@switchroom/kit/failures'

/** After all vendors failed they are asked again after these pauses; then the call cannot continue. */
const pausesMs = [200, 1_000, 3_000]

export interface Rounds<Run> {
  runs: readonly Run[]
  /** Lasts as long as the vendor does, and says once it serves. */
  attempt: (run: Run, serves: () => void) => Promise<void>
  /** A vendor serves after these failed. */
  served: (run: Run, failed: readonly string[]) => void
}

/** Keeps one vendor at work, and the next one if it fails; resolves with the last failure once none works. */
export async function inRounds<Run extends { vendor: string }>(
  { runs, attempt, served }: Rounds<Run>,
  signal: AbortSignal,
): Promise<unknown> {
  let failure: unknown = silent('there is no vendor to try')
  let rounds = 0
  const failed = new Set<string>()
  while (!signal.aborted) {
    for (const run of runs) {
      try {
        await attempt(run, () => {
          served(run, [...failed])
          failed.clear()
          rounds = 0
        })
        failure = silent('it stopped listening')
      } catch (error) {
        failure = error
      }
      if (signal.aborted) return failure
      failed.add(run.vendor)
    }
    const pauseMs = pausesMs[rounds++]
    if (pauseMs === undefined) return failure
    await sleep(pauseMs, undefined, { signal }).catch(() => {})
  }
  return failure
}
