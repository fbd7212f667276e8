import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Counter, Gauge, Histogram, Registry, Summary } from 'prom-client'
import { traceHere } from '../testing/traced.ts'

test('the metrics that Prometheus would scrape are sent as OTLP: counters, gauges and histograms with their buckets', async () => {
  const registry = new Registry()
  const registers = [registry]
  new Counter({ name: 'dials_total', help: 'Dials', labelNames: ['outcome'], registers }).inc(
    { outcome: 'busy' },
    3,
  )
  new Gauge({ name: 'calls', help: 'Calls', registers }).set(7)
  new Summary({ name: 'unsent', help: 'None', registers }).observe(1)
  const waits = new Histogram({
    name: 'wait_seconds',
    help: 'Waits',
    labelNames: ['route'],
    buckets: [0.1, 1],
    registers,
  })
  for (const waitS of [0.05, 0.5, 0.6, 3]) waits.observe({ route: '/a' }, waitS)
  waits.observe({ route: '/b' }, 0.5)
  const traced = await traceHere({}, () => registry.getMetricsAsJSON())
  await traced[Symbol.asyncDispose]()

  const sent = traced.collector.metrics.at(-1)?.resourceMetrics[0]?.scopeMetrics[0]?.metrics ?? []
  const byName = new Map(sent.map(({ name, ...metric }) => [name, metric]))
  assert.deepEqual([...byName.keys()], ['dials_total', 'calls', 'wait_seconds'])
  const { sum } = byName.get('dials_total') as { sum: Points & { isMonotonic: boolean } }
  assert.deepEqual([sum.isMonotonic, sum.dataPoints[0]?.['asDouble']], [true, 3])
  assert.deepEqual(sum.dataPoints[0]?.['attributes'], [{ key: 'outcome', value: { stringValue: 'busy' } }])
  const { gauge } = byName.get('calls') as { gauge: Points }
  assert.equal(gauge.dataPoints[0]?.['asDouble'], 7)
  const { histogram } = byName.get('wait_seconds') as { histogram: Points }
  const shapes = histogram.dataPoints.map(({ count, bucketCounts, explicitBounds }) => [
    count,
    bucketCounts,
    explicitBounds,
  ])
  assert.deepEqual(shapes, [
    [4, [1, 2, 1], [0.1, 1]],
    [1, [0, 1, 0], [0.1, 1]],
  ])
  assert.equal(byName.get('wait_seconds')?.['unit'], 's')
})

interface Points {
  dataPoints: Record<string, unknown>[]
}
