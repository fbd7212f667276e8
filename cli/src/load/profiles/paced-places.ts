import { setTimeout as sleep } from 'node:timers/promises'
import { placesIn, type Step } from '../plan/steps.ts'
import type { Place, Profile, Recorder } from './profile.ts'

/** How many places a profile has at full load, and how often each does something. */
export interface Pace {
  places: number
  everyMs: number
}

/** Of things a second, or of places at once. */
export function paceOf(load: { perS: number } | { atOnce: number }, everyMs: number): Pace {
  if ('atOnce' in load) return { places: load.atOnce, everyMs }
  const places = Math.max(1, Math.ceil((load.perS * everyMs) / 1_000))
  return { places, everyMs: (places * 1_000) / load.perS }
}

export interface PacedRun {
  profile: Profile
  pace: Pace
  steps: readonly Step[]
  random: () => number
  recorder: Recorder
  signal: AbortSignal
}

/** A place that is behind at the end of the run begins nothing more. */
const neverBegun = 'was due while what the place did before still ran, and the run ended'

/** Every place does its next thing when it is due, whatever the others do; what is due meanwhile is late, not left out. */
export async function runPaced({ profile, pace, steps, random, recorder, signal }: PacedRun): Promise<void> {
  const endMs = steps.at(-1)?.toMs ?? 0
  const main = profile.series[0]?.name ?? profile.name
  const joins = steps.flatMap((step, at) => {
    const before = steps[at - 1]
    const from = before ? placesIn(before, pace.places) : 0
    const count = Math.max(0, placesIn(step, pace.places) - from)
    return Array.from({ length: count }, (_, n) => ({
      at: from + n,
      // Evenly over the interval, so that no two begin together, and each a little off.
      firstMs: step.fromMs + (pace.everyMs * (n + random())) / count,
    }))
  })
  await Promise.all(
    joins.map(async ({ at, firstMs }) => {
      const place: Place = profile.place(at)
      const next = (dueMs: number) =>
        profile.waitsForAgent ? Math.max(dueMs + pace.everyMs, recorder.nowMs) : dueMs + pace.everyMs
      for (let dueMs = firstMs; dueMs < endMs && !signal.aborted; dueMs = next(dueMs)) {
        const waitMs = dueMs - recorder.nowMs
        if (waitMs > 0) await sleep(waitMs, undefined, { signal }).catch(() => {})
        if (signal.aborted) break
        if (recorder.nowMs < endMs) await place.perform({ atMs: dueMs }, signal)
        else recorder.failed(main, dueMs, 'never begun', neverBegun)
      }
      await place.leave()
    }),
  )
}
