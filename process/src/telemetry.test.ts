import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isTracing } from '@switchroom/telemetry/tracing'
import { SettingError } from './setting-reader.ts'
import { startTelemetry } from './telemetry.ts'

const start = (environment: Record<string, string>) =>
  startTelemetry('switchroom-test', environment, { warn() {} })

test('spans are sent only if OTEL_EXPORTER_OTLP_ENDPOINT says where to, and nothing else says that they are not', async () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }
  assert.equal(await start({}), undefined)
  assert.equal(await start({ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }), undefined)
  assert.equal(await start({ ...endpoint, OTEL_SDK_DISABLED: 'TRUE' }), undefined)
  const none = { OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' }
  assert.equal(await start({ ...endpoint, ...none }), undefined)
  await (await start({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }))?.stop()
  assert.equal(isTracing(), false)
  const telemetry = await start(endpoint)
  assert.equal(isTracing(), true)
  await telemetry?.stop()
  assert.equal(isTracing(), false)
})

for (const [what, environment, sentence] of [
  [
    'an address that is none',
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' },
    /OTEL_EXPORTER_OTLP_ENDPOINT is no http or https address: name the collector’s, as http:\/\/collector:4318/,
  ],
  [
    'another protocol',
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4317', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    /OTEL_EXPORTER_OTLP_PROTOCOL is grpc, but telemetry is sent as http\/protobuf: leave it out, and name the port/,
  ],
] as const)
  test(`a process does not start with ${what} for its spans, and says what to do`, async () => {
    await assert.rejects(start(environment), (error) => {
      assert.ok(error instanceof SettingError)
      assert.match(error.message, sentence)
      return true
    })
  })
