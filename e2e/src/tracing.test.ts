import assert from 'node:assert/strict'
import { test } from 'node:test'
import { afterwards } from '@switchroom/launcher/testing/folders'
import { until } from '@switchroom/launcher/testing/waiting'
import { OtlpReceiver, type ReceivedSpan } from '@switchroom/telemetry/testing/otlp-receiver'
import { startChatGateway } from './traced-chats.ts'

const words = 'my number is +34600111222'

async function receiver(t: Parameters<typeof afterwards>[0]): Promise<OtlpReceiver> {
  const started = await OtlpReceiver.start()
  afterwards(t, () => started.stop())
  return started
}

/** Each span as its name and its parent's. */
function shape(spans: readonly ReceivedSpan[]): Set<string> {
  const names = new Map(spans.map(({ spanId, name }) => [spanId, name]))
  return new Set(
    spans.map(({ name, parentSpanId }) => `${name} < ${names.get(parentSpanId) ?? parentSpanId}`),
  )
}

test('a written chat is one trace: the call, its turn, and under that the model, the tools and the statements; the model gets its span, and nothing that was said is in any', async (t) => {
  const collector = await receiver(t)
  const { gateway, chat, get, traceparents, key } = await startChatGateway(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=of-the-test',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  })
  const call = await chat(words)
  const state = await get(`/v1/calls/${call}/state`)
  const traceId = String(state['trace_id'])
  assert.match(traceId, /^[\da-f]{32}$/)
  await until(
    'the call is sent',
    () => collector.spansOf(traceId).some(({ name }) => name === 'call'),
    30_000,
  )
  gateway.child.kill('SIGTERM')
  assert.equal(await gateway.ended, 0)

  const spans = collector.spansOf(traceId)
  const found = shape(spans)
  for (const wanted of [
    'call < ',
    'turn < call',
    'chat gpt-4.1-mini < turn',
    'tools < turn',
    'execute_tool look_up < tools',
    'UPDATE logs < turn',
  ])
    assert.ok(found.has(wanted), `${wanted} is not among ${[...found].join('; ')}`)
  assert.deepEqual(
    [...found].filter((line) => / < [\da-f]{16}$/.test(line)),
    [],
    'every parent was sent',
  )
  assert.equal(spans.filter(({ parentSpanId }) => parentSpanId === '').length, 1)
  const root = spans.find(({ name }) => name === 'call')
  assert.equal(root?.attributes['gen_ai.conversation.id'], call)
  assert.equal(root?.attributes['switchroom.reason'], 'hangup')
  assert.equal(root?.resource['service.name'], 'switchroom-gateway')
  assert.equal(root?.resource['deployment.environment.name'], 'test')
  const models = spans.filter(({ name }) => name === 'chat gpt-4.1-mini')
  assert.deepEqual(
    new Set(traceparents),
    new Set(models.map(({ spanId }) => `00-${traceId}-${spanId}-01`)),
    'the model gets the span of each request',
  )
  const request = collector.spans.find(({ name }) => name === 'GET /v1/calls/:call/state')
  assert.equal(request?.kind, 'SPAN_KIND_SERVER')
  assert.equal(request?.attributes['http.response.status_code'], 200)
  assert.notEqual(request?.traceId, traceId)
  const database = collector.spansOf(request?.traceId ?? '').filter(({ kind }) => kind === 'SPAN_KIND_CLIENT')
  assert.ok(database.some(({ attributes }) => attributes['db.collection.name'] === 'calls'))
  assert.ok(collector.headers.every((headers) => headers['x-tenant'] === 'of-the-test'))
  const all = JSON.stringify(collector.spans)
  for (const secret of [
    words,
    '34600111222',
    'answer to',
    key,
    'key-of-the-model',
    'of-the-tests',
    'Look everything',
  ])
    assert.ok(!all.includes(secret), `${secret} is in a span`)
})

test('what was not sent yet is sent when the gateway is asked to stop, and a call that the sampler leaves out has no trace', async (t) => {
  const collector = await receiver(t)
  const { gateway, chat, get, traceparents } = await startChatGateway(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '600000',
    OTEL_SERVICE_NAME: 'front',
    OTEL_TRACES_SAMPLER: 'always_off',
  })
  const call = await chat(words)
  assert.equal((await get(`/v1/calls/${call}/state`))['trace_id'], null)
  assert.deepEqual(traceparents, [undefined, undefined])
  gateway.child.kill('SIGTERM')
  assert.equal(await gateway.ended, 0)
  assert.deepEqual(collector.spans, [])

  const second = await startChatGateway(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '600000',
    OTEL_SERVICE_NAME: 'front',
  })
  await second.chat(words)
  assert.deepEqual(collector.spans, [])
  second.gateway.child.kill('SIGTERM')
  assert.equal(await second.gateway.ended, 0)
  assert.ok(collector.spans.some(({ name }) => name === 'call'))
  assert.ok(collector.spans.every(({ resource }) => resource['service.name'] === 'front'))
})

test('a collector that never answers holds up no chat and no stop', async (t) => {
  const collector = await receiver(t)
  collector.answer = 'hangs'
  const { gateway, chat, get } = await startChatGateway(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '50',
    OTEL_BSP_EXPORT_TIMEOUT: '120000',
    OTEL_EXPORTER_OTLP_TIMEOUT: '120000',
  })
  for (const word of ['one', 'two', 'three']) await chat(word)
  const call = await chat(words)
  assert.match(String((await get(`/v1/calls/${call}/state`))['trace_id']), /^[\da-f]{32}$/)
  await until('it was asked', () => collector.requests > 0, 30_000)
  const stoppedMs = performance.now()
  gateway.child.kill('SIGTERM')
  assert.equal(await gateway.ended, 0)
  const tookMs = performance.now() - stoppedMs
  assert.ok(tookMs < 60_000, `the stop took ${tookMs} ms`)
})

test('a gateway without a collector loads nothing of OpenTelemetry but what others need, tells vendors nothing, and its calls have no trace', async (t) => {
  const record = `import { registerHooks } from 'node:module'
    registerHooks({ resolve(specifier, context, next) {
      const found = next(specifier, context)
      if (/telemetry/.test(found.url)) process.stderr.write('LOADED ' + found.url + '\\n')
      return found
    } })`
  const { gateway, chat, get, traceparents } = await startChatGateway(t, {
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(record)}`,
  })
  const call = await chat(words)
  assert.equal((await get(`/v1/calls/${call}/state`))['trace_id'], null)
  assert.deepEqual(traceparents, [undefined, undefined])
  const loaded = new Set(
    gateway.stderr().match(/(?<=LOADED .*\/)(?:@opentelemetry\/[\w-]+|telemetry\/src\/[\w-]+)/g),
  )
  assert.deepEqual([...loaded].filter((name) => name !== '@opentelemetry/api').toSorted(), [
    'telemetry/src/request-spans',
    'telemetry/src/tracing',
  ])
})
