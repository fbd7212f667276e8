import assert from 'node:assert/strict'
import { test } from 'node:test'
import { traceHere } from '@switchroom/telemetry/testing/traced'
import { fleetKey, startDeployment } from '../../testing/deployment.ts'

const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
const traceparent = `00-${traceId}-${spanId}-01`

test('a request of the fleet continues its trace; one of anybody else begins its own, with a link, whatever it claims', async () => {
  const traced = await traceHere()
  const deployment = await startDeployment()
  const { key } = await (await deployment.newOrg()).serverToken('sandbox')
  const ask = async (path: string, authorization: string, more: object = {}) => {
    const headers = { authorization: `Bearer ${authorization}`, traceparent, ...more }
    const response = await fetch(deployment.url + path, { headers })
    await response.arrayBuffer()
    return response.status
  }
  assert.equal(await ask('/v1/calls/call_unknown/events', fleetKey), 404)
  assert.equal(await ask('/v1/whoami', key), 200)
  assert.equal(await ask('/v1/whoami', 'svc_wrong', { traceparent: 'nonsense' }), 401)
  assert.equal(await ask('/healthz', key), 200)
  await deployment[Symbol.asyncDispose]()
  await traced[Symbol.asyncDispose]()

  const requests = traced.collector.spans.filter(({ kind }) => kind === 'SPAN_KIND_SERVER')
  const ofRoute = (route: string) => requests.filter(({ attributes }) => attributes['http.route'] === route)
  const [worker] = ofRoute('/v1/calls/:call/events')
  assert.deepEqual([worker?.traceId, worker?.parentSpanId], [traceId, spanId])
  assert.equal(worker?.attributes['http.response.status_code'], 404)
  const [known, unknown] = ofRoute('/v1/whoami')
  assert.deepEqual([known?.parentSpanId, known?.links], ['', [`${traceId}-${spanId}`]])
  assert.notEqual(known?.traceId, traceId)
  assert.deepEqual([unknown?.parentSpanId, unknown?.links], ['', []])
  assert.equal(unknown?.attributes['http.response.status_code'], 401)
  assert.deepEqual(ofRoute('/healthz'), [])
  assert.ok(!JSON.stringify(traced.collector.spans).includes(key))
})
