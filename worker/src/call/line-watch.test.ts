import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NewEntry } from '@switchroom/contract/log'
import type { LineFigures } from '@switchroom/media/leg'
import { LineWatch } from './line-watch.ts'

/** A line that is sampled every 5 seconds of 250 packets each way, of which these are lost. */
function watched() {
  const line: LineFigures = {
    codec: 'PCMU',
    roundTripMs: 60,
    heard: { expected: 0, lost: 0, jitterMs: 2 },
    sent: { expected: 0, lost: 0, jitterMs: 4 },
  }
  const kept: NewEntry[] = []
  const watch = new LineWatch(
    () => ({ ...line, heard: { ...line.heard }, sent: line.sent && { ...line.sent } }),
    (entries) => kept.push(...entries),
  )
  const pass = (samples: number, lost: { heard?: number; sent?: number } = {}) => {
    for (let sample = 0; sample < samples; sample += 1) {
      for (const way of ['heard', 'sent'] as const) {
        const figures = line[way]
        if (!figures) continue
        figures.expected += 250
        figures.lost += lost[way] ?? 0
      }
      watch.sample()
    }
  }
  return { line, kept, watch, pass }
}

test('the log says at the end, and once a minute before it, how the line was both ways', () => {
  const { kept, watch, pass } = watched()
  pass(11, { sent: 25 })
  assert.equal(kept.length, 0)
  pass(1, { sent: 25 })
  pass(1, { sent: 25 })
  const [soFar] = kept
  assert.equal(soFar?.data['whole'], false)
  assert.equal(kept.length, 1)
  assert.deepEqual(watch.end(), [
    {
      type: 'metrics',
      data: {
        stage: 'line',
        codec: 'PCMU',
        whole: true,
        round_trip_ms: 60,
        heard: { packets: 3250, loss_percent: 0, jitter_ms: 2, mos: 4.37 },
        sent: { packets: 3250, loss_percent: 10, jitter_ms: 4, mos: 3.32 },
      },
    },
  ])
})

test('a line that is bad for ten seconds is warned of once, and again only after it was good for ten', () => {
  const { kept, pass } = watched()
  const types = () =>
    kept.filter(({ type }) => type !== 'metrics').map(({ type, data }) => [type, data['way']])
  pass(1, { heard: 75 })
  pass(3)
  pass(1, { heard: 75 })
  assert.deepEqual(types(), [])
  pass(20, { heard: 75 })
  assert.deepEqual(types(), [['call.line_warning', 'heard']])
  assert.deepEqual(kept.find(({ type }) => type === 'call.line_warning')?.data, {
    way: 'heard',
    packets: 250,
    loss_percent: 30,
    jitter_ms: 2,
    mos: 2.05,
    round_trip_ms: 60,
  })
  pass(1)
  pass(5, { heard: 75 })
  assert.equal(types().length, 1)
  pass(10)
  assert.deepEqual(types().at(-1), ['call.line_recovered', 'heard'])
  pass(4, { sent: 100 })
  assert.deepEqual(types().at(-1), ['call.line_warning', 'sent'])
  assert.equal(types().length, 3)
})

test('nothing is judged by a few packets, and nothing is said of a line that nothing came over', () => {
  const { line, kept, watch } = watched()
  line.sent = null
  for (let sample = 0; sample < 5; sample += 1) watch.sample()
  assert.deepEqual(watch.end(), [])
  line.heard = { expected: 20, lost: 15, jitterMs: 0 }
  for (let sample = 0; sample < 5; sample += 1) watch.sample()
  assert.deepEqual(kept, [])
  assert.deepEqual(
    watch.end().map(({ data }) => [data['heard'] !== null, data['sent']]),
    [[true, null]],
  )
})

test('a leg that measures nothing has nothing said of its line', () => {
  const watch = new LineWatch(
    () => undefined,
    () => assert.fail('nothing is known'),
  )
  for (let sample = 0; sample < 20; sample += 1) watch.sample()
  assert.deepEqual(watch.end(), [])
})
