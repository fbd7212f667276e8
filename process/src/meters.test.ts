import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Meters, type MeterRow, type Reading } from './meters.ts'

const rows: MeterRow[] = [
  {
    name: 'ended_total',
    type: 'counter',
    help: 'Ended',
    labels: { env: ['a', 'b'], reason: ['x', 'other'] },
  },
  { name: 'failed_total', type: 'counter', help: 'Failed', labels: { vendor: 'the installed ones' } },
  { name: 'wait_seconds', type: 'histogram', help: 'Wait', labels: { env: ['a', 'b'] }, buckets: [1, 2] },
  { name: 'live', type: 'gauge', help: 'Live', labels: { env: ['a', 'b'] } },
  { name: 'queue', type: 'gauge', help: 'Queue', labels: {} },
]

const linesOf = async (meters: Meters<{ counter: string; gauge: string; histogram: string }>, name: string) =>
  (await meters.registry.metrics()).split('\n').filter((line) => line.startsWith(name))

test('a counter is there with all its series before anything is counted', async () => {
  const meters = new Meters(rows)
  meters.count('ended_total', ['b', 'x'])
  meters.count('ended_total', ['b', 'x'], 2)
  assert.deepEqual(await linesOf(meters, 'ended_total'), [
    'ended_total{env="a",reason="x"} 0',
    'ended_total{env="a",reason="other"} 0',
    'ended_total{env="b",reason="x"} 3',
    'ended_total{env="b",reason="other"} 0',
  ])
})

test('a value outside of the set of its label becomes other, however many there are', async () => {
  const meters = new Meters(rows)
  meters.limit('vendor', new Set(['alpha']))
  for (let n = 0; n < 1000; n += 1) {
    meters.count('ended_total', ['a', `reason ${n}`])
    meters.count('failed_total', [`vendor-${n}`])
  }
  meters.count('failed_total', ['alpha'])
  assert.deepEqual(await linesOf(meters, 'failed_total'), [
    'failed_total{vendor="other"} 1000',
    'failed_total{vendor="alpha"} 1',
  ])
  assert.ok((await linesOf(meters, 'ended_total')).includes('ended_total{env="a",reason="other"} 1000'))
})

test('a histogram observes in its buckets', async () => {
  const meters = new Meters(rows)
  for (const value of [0.5, 1.5, 7]) meters.observe('wait_seconds', value, ['a'])
  assert.deepEqual(await linesOf(meters, 'wait_seconds'), [
    'wait_seconds_bucket{le="1",env="a"} 1',
    'wait_seconds_bucket{le="2",env="a"} 2',
    'wait_seconds_bucket{le="+Inf",env="a"} 3',
    'wait_seconds_sum{env="a"} 9',
    'wait_seconds_count{env="a"} 3',
  ])
})

test('a gauge is read at each scrape, and one that cannot be read is left out of the scrape', async () => {
  const meters = new Meters(rows)
  let readings: Reading[] = [[1, 'a']]
  meters.gauge('live', () => readings)
  meters.gauge('queue', () => Promise.reject(new Error('no database')))
  assert.deepEqual(await linesOf(meters, 'live'), ['live{env="a"} 1'])
  readings = [[2, 'b']]
  assert.deepEqual(await linesOf(meters, 'live'), ['live{env="b"} 2'])
  assert.deepEqual(await linesOf(meters, 'queue'), [])
})

test('a metric that is not in the table is a mistake', () => {
  const meters = new Meters(rows)
  assert.throws(
    () => meters.count('unknown_total'),
    /unknown_total is no counter or histogram of this process/,
  )
  assert.throws(() => meters.gauge('unknown', () => []), /unknown is no metric of this process/)
})
