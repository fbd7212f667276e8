import assert from 'node:assert/strict'
import { test } from 'node:test'
import { traceHere } from '@switchroom/telemetry/testing/traced'
import { startVoiceDeployment } from '../../testing/voice-deployment.ts'

const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
const traceparent = `00-${traceId}-${spanId}-01`

test("a request to the voice server is a trace of its own, with what the gateway is asked for it, and links its caller's", async () => {
  const traced = await traceHere()
  const voice = await startVoiceDeployment()
  const caller = await voice.caller()
  const response = await caller.send('/v1/audio/voices', { headers: { traceparent } })
  assert.equal(response.status, 200)
  await response.arrayBuffer()
  assert.equal((await caller.get('/healthz')).status, 200)
  assert.equal((await caller.get('/secret-of-a-path')).status, 404)
  await voice[Symbol.asyncDispose]()
  await traced[Symbol.asyncDispose]()

  const { spans } = traced.collector
  const ofRoute = (route: string) => spans.filter(({ attributes }) => attributes['http.route'] === route)
  const [asked] = ofRoute('/v1/audio/voices')
  assert.ok(asked)
  assert.deepEqual([asked.parentSpanId, asked.links], ['', [`${traceId}-${spanId}`]])
  assert.equal(asked.attributes['http.response.status_code'], 200)
  const ofGateway = spans.filter((span) => span.traceId === asked.traceId && span.spanId !== asked.spanId)
  assert.ok(
    ofGateway.some(({ kind, parentSpanId }) => kind === 'SPAN_KIND_SERVER' && parentSpanId === asked.spanId),
  )
  assert.deepEqual(ofRoute('/healthz'), [])
  assert.equal(ofRoute('unknown')[0]?.attributes['http.response.status_code'], 404)
  assert.ok(!JSON.stringify(spans).includes('secret-of-a-path'))
})
