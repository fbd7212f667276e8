import assert from 'node:assert/strict'
import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { refused } from '../../testing/client.ts'
import { startDeployment, testEnvironment } from '../../testing/deployment.ts'
import { readSettings } from '../foundation/settings.ts'
import { startFailure } from '../start-failure.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())

test('metrics are on a listener of their own, and not on the one that the public reaches', async () => {
  refused(await deployment.anonymous.get('/metrics'), 404, 'there is no door at /metrics')
  const { status, text } = await deployment.metrics.get('/metrics')
  assert.equal(status, 200)
  assert.match(text, /svc_http_request_seconds_count/)
  refused(await deployment.metrics.get('/v1/whoami'), 404, 'there is no door at /v1/whoami')
})

test('the listener of the metrics is at loopback and port 8083 by default, and the operator changes both', () => {
  const at = (wanted: Record<string, string>) => {
    const { limits } = readSettings(testEnvironment('postgresql://x', wanted))
    return [limits.metricsHost, limits.metricsPort, limits.isMetricsPortSet]
  }
  assert.deepEqual(at({ SVC_METRICS_PORT: '', SVC_HOST: '0.0.0.0' }), ['127.0.0.1', 8083, false])
  assert.deepEqual(at({ SVC_METRICS_PORT: '9464', SVC_METRICS_HOST: '10.0.0.7' }), ['10.0.0.7', 9464, true])
})

test('a second gateway on the machine starts without metrics; one whose port was chosen says that it is taken', async (t) => {
  const first = createServer().listen(8083, '127.0.0.1')
  t.after(() => first.close())
  // an error is that something else has it, which serves as well
  await new Promise<void>((resolve) => first.once('listening', resolve).once('error', () => resolve()))
  const second = await deployment.another({ SVC_METRICS_PORT: '' })
  assert.equal(second.gateway.metricsPort, undefined)
  assert.equal((await second.anonymous.get('/healthz')).status, 200)
  const warning =
    'port 8083 on 127.0.0.1 is taken, so this gateway serves no metrics: set SVC_METRICS_PORT to another'
  assert.ok(second.log().includes(warning))

  const taken = createServer().listen(0, '127.0.0.1')
  t.after(() => taken.close())
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const failure = await deployment.another({ SVC_METRICS_PORT: String(port) }).catch(startFailure)
  assert.equal(
    failure,
    `port ${port} on 127.0.0.1 is taken: stop what listens there, or set SVC_METRICS_PORT`,
  )
})
