import assert from 'node:assert/strict'
import { test } from 'node:test'
import { metricNamed, metrics, metricsOf } from './table.ts'

test('a metric is in the table once, and its name says what it counts in base units', () => {
  const names = metrics.map(({ name }) => name)
  assert.deepEqual(names, [...new Set(names)])
  for (const { name, type, unit, isDefault } of metrics) {
    if (isDefault) continue
    assert.match(name, /^(switchroom|svc)_[a-z0-9]+(_[a-z0-9]+)*$/)
    assert.equal(name.endsWith('_total'), type === 'counter', name)
    if (unit === 'seconds') assert.match(name, /_seconds(_total)?$/)
  }
})

test('no label is of the kind that grows with orgs, agents, calls, numbers or keys', () => {
  const growing = /org|agent|call|number|contact|key|member|path|url|id$/
  for (const { name, labels } of metrics)
    for (const label of Object.keys(labels)) assert.doesNotMatch(label, growing, `${name} ${label}`)
})

test('no metric has more than a few hundred series in one process', () => {
  for (const { name, labels, buckets = [] } of metrics) {
    const sets = Object.values(labels)
    const series = sets.reduce((product, set) => product * (typeof set === 'string' ? 1 : set.length), 1)
    assert.ok(series * (buckets.length > 0 ? buckets.length + 3 : 1) <= 400, name)
  }
})

test('a histogram has buckets in order, and nothing else has any', () => {
  for (const { name, type, buckets } of metrics) {
    assert.equal(buckets !== undefined, type === 'histogram', name)
    assert.deepEqual(
      buckets?.toSorted((a, b) => a - b),
      buckets && [...buckets],
      name,
    )
  }
})

test('a process registers its own metrics, and not those of the library', () => {
  assert.ok(metricsOf('worker').some(({ name }) => name === 'switchroom_worker_places'))
  assert.ok(!metricsOf('worker').some(({ name }) => name === 'switchroom_dials_total'))
  assert.ok(!metricsOf('worker').some(({ isDefault }) => isDefault))
  assert.equal(metricNamed('switchroom_calls_live').type, 'gauge')
})
