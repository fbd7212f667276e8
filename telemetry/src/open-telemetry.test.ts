import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { traceHere } from '../testing/traced.ts'
import {
  activePlace,
  callEnded,
  inSpan,
  isTracing,
  newCallTrace,
  placeOf,
  runAt,
  startSpan,
  traceIdOf,
} from './tracing.ts'

test('spans have the parents in which they ran, and the span of a call has the ids that it was opened with', async () => {
  const traced = await traceHere()
  const call = newCallTrace() ?? ''
  const atMs = Date.now()
  await runAt(placeOf(call), () =>
    inSpan('turn', {}, async () => {
      await sleep(1)
      await inSpan('chat', { kind: 'client', attributes: { words: 3 } }, () => sleep(1))
      await assert.rejects(inSpan('tools', {}, () => Promise.reject(new TypeError('what the caller said'))))
    }),
  )
  callEnded({ traceparent: call, startedAtMs: atMs - 1_000, endedAtMs: atMs, attributes: { kept: true } })
  await traced[Symbol.asyncDispose]()
  const { collector } = traced
  const spans = collector.spansOf(traceIdOf(call))
  const byName = new Map(spans.map((span) => [span.name, span]))
  assert.deepEqual([...byName.keys()].toSorted(), ['call', 'chat', 'tools', 'turn'])
  assert.equal(byName.get('call')?.parentSpanId, '')
  assert.equal(call, `00-${byName.get('call')?.traceId}-${byName.get('call')?.spanId}-01`)
  assert.equal(byName.get('turn')?.parentSpanId, byName.get('call')?.spanId)
  assert.equal(byName.get('chat')?.parentSpanId, byName.get('turn')?.spanId)
  assert.equal(byName.get('chat')?.kind, 'SPAN_KIND_CLIENT')
  assert.equal(byName.get('tools')?.status, 'STATUS_CODE_ERROR')
  assert.equal(byName.get('tools')?.attributes['error.type'], 'TypeError')
  assert.equal(Math.round((byName.get('call')?.endMs ?? 0) - (byName.get('call')?.startMs ?? 0)), 1_000)
  assert.ok(!JSON.stringify(spans).includes('what the caller said'))
})

test('nothing is sent for what runs in no trace, and nothing once telemetry has stopped', async () => {
  const traced = await traceHere()
  assert.equal(startSpan('work'), undefined)
  const place = placeOf(newCallTrace())
  assert.equal(
    runAt(place, () => activePlace()?.traceparent),
    place?.traceparent,
  )
  assert.equal(
    runAt(place, () => runAt(undefined, () => startSpan('work'))),
    undefined,
  )
  await traced[Symbol.asyncDispose]()
  assert.equal(isTracing(), false)
  assert.equal(newCallTrace(), null)
  assert.equal(
    runAt(place, () => startSpan('work')),
    undefined,
  )
  assert.equal(traced.collector.requests, 0)
})

test('a header is a place in a trace only as W3C Trace Context writes it', async (t) => {
  const traced = await traceHere()
  t.after(() => traced[Symbol.asyncDispose]())
  const good = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  assert.equal(placeOf(good)?.traceparent, good)
  for (const bad of [
    '',
    'x',
    `ff${good.slice(2)}`,
    good.toUpperCase(),
    `${good}0`,
    good.replace('4bf92f3577b34da6a3ce929d0e0e4736', '0'.repeat(32)),
    good.replace('00f067aa0ba902b7', '0'.repeat(16)),
    `00-${'a'.repeat(100_000)}`,
  ])
    assert.equal(placeOf(bad), undefined, bad.slice(0, 60))
})

test('of the spans that a collector does not take, only as many are kept as its queue holds, and the stop does not wait for it', async () => {
  const traced = await traceHere({ OTEL_BSP_MAX_QUEUE_SIZE: '500', OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '100' })
  const { collector, telemetry } = traced
  collector.answer = 'hangs'
  runAt(placeOf(newCallTrace()), () => {
    for (let nth = 0; nth < 20_000; nth += 1) startSpan('work')?.end()
  })
  while (collector.requests === 0) await sleep(10)
  runAt(placeOf(newCallTrace()), () => {
    for (let nth = 0; nth < 20_000; nth += 1) startSpan('work')?.end()
  })
  collector.answer = 200
  await telemetry.stop()
  assert.ok(collector.spans.length > 0 && collector.spans.length <= 600, `${collector.spans.length} came`)
  await collector.stop()
})

for (const answer of [500, 503] as const)
  test(`a collector that answers ${answer} is complained about once, and the work goes on`, async () => {
    const traced = await traceHere({ OTEL_BSP_SCHEDULE_DELAY: '10' })
    traced.collector.answer = answer
    for (let nth = 0; nth < 3; nth += 1) {
      const before = traced.collector.requests
      await runAt(placeOf(newCallTrace()), () => inSpan('work', {}, async () => {}))
      if (nth === 0) while (traced.collector.requests === before) await sleep(10)
    }
    await traced[Symbol.asyncDispose]()
    assert.equal(traced.collector.spans.length, 0)
    assert.deepEqual(traced.complaints, ['telemetry could not be sent to OTEL_EXPORTER_OTLP_ENDPOINT'])
  })
