import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import { Measurements } from '../measuring/measurements.ts'
import { stepsOf } from '../plan/steps.ts'
import { paceOf, runPaced } from './paced-places.ts'
import type { Profile } from './profile.ts'

const steps = stepsOf({ rampMs: 0, rampSteps: 1, holdMs: 1_000 })

/** One place that takes so long for everything. */
function slowProfile(measurements: Measurements, takesMs: number): Profile {
  return {
    name: 'chats',
    series: [{ name: 'chats', title: '', usualTargets: [] }],
    place: () => ({
      perform: async ({ atMs }) => {
        await sleep(takesMs)
        measurements.done('chats', atMs)
      },
      leave: async () => {},
    }),
  }
}

const run = (measurements: Measurements, takesMs: number, signal: AbortSignal, everyMs = 100) =>
  runPaced({
    profile: slowProfile(measurements, takesMs),
    pace: { places: 1, everyMs },
    steps,
    random: () => 0,
    recorder: measurements,
    signal,
  })

test('latency counts from when a request was due, so a place that is held up hides nothing, and what it never begins has failed', async () => {
  const measurements = new Measurements()
  measurements.begin()
  await run(measurements, 300, new AbortController().signal)
  const { latenciesMs, failed } = measurements.between('chats', { fromMs: 0, toMs: 1_000 })
  assert.equal(latenciesMs.length + failed, 10) // everything that was due
  assert.ok(failed >= 6, `${failed} of ten were never begun`)
  // Each was due 100 ms after the one before, and began when that one was over, 300 ms later.
  for (const [nth, tookMs] of latenciesMs.entries())
    assert.ok(tookMs >= 295 + 195 * nth, `${nth} took ${tookMs}`)
  assert.match(measurements.failures[0]?.sentence ?? '', /^was due while what the place did before still ran/)
})

test('a run that is interrupted begins nothing more', async () => {
  const measurements = new Measurements()
  measurements.begin()
  await run(measurements, 10, AbortSignal.abort())
  assert.deepEqual(measurements.between('chats', { fromMs: 0, toMs: 1_000 }).latenciesMs, [])
})

test('a rate becomes as many places as keep their pace at it', () => {
  assert.deepEqual(paceOf({ perS: 20 }, 5_000), { places: 100, everyMs: 5_000 })
  assert.deepEqual(paceOf({ perS: 0.1 }, 5_000), { places: 1, everyMs: 10_000 })
  assert.deepEqual(paceOf({ atOnce: 7 }, 5_000), { places: 7, everyMs: 5_000 })
})
