import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { test } from 'node:test'
import { Meters } from './meters.ts'
import { readMetricsAddress } from './metrics-address.ts'
import { serveMetrics } from './metrics-listener.ts'
import { settingReader } from './setting-reader.ts'

const host = '127.0.0.1'
const setting = 'SVC_WORKER_METRICS_PORT'
const { registry } = new Meters([])

function keepingLog() {
  const lines: unknown[] = []
  const keep = (...words: unknown[]) => void lines.push(words.at(-1))
  return { lines, logger: { info: keep, warn: keep } }
}

async function occupied(port = 0): Promise<Server> {
  const server = createServer().listen(port, host)
  await once(server, 'listening')
  return server
}
const portOf = (server: Server) => (server.address() as AddressInfo).port

test('the metrics are at loopback and at the usual port unless the operator says otherwise', () => {
  const usual = readMetricsAddress(settingReader({}), setting, { port: 8085, ports: 10 })
  assert.deepEqual(usual, { host, port: 8085, ports: 10, isPortSet: false, setting })
  const chosen = settingReader({ SVC_METRICS_HOST: '10.0.0.7', SVC_WORKER_METRICS_PORT: '9464' })
  const at = readMetricsAddress(chosen, setting, { port: 8085, ports: 10 })
  assert.deepEqual(at, { host: '10.0.0.7', port: 9464, ports: 1, isPortSet: true, setting })
})

test('metrics are served at /metrics, and nothing else is', async (t) => {
  const { logger } = keepingLog()
  const served = await serveMetrics(registry, { host, port: 0, ports: 1, isPortSet: true, setting }, logger)
  t.after(served.close)
  const url = `http://${host}:${served.port}`
  const page = await fetch(`${url}/metrics`)
  assert.equal(page.status, 200)
  assert.match(page.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
  assert.match(await page.text(), /^process_cpu_seconds_total /m)
  for (const [path, method] of [
    ['/', 'GET'],
    ['/metrics/x', 'GET'],
    ['/metrics', 'POST'],
  ] as const) {
    const refused = await fetch(`${url}${path}`, { method })
    assert.deepEqual(
      [refused.status, await refused.text()],
      [404, 'GET /metrics is all that is served here\n'],
    )
  }
})

test('a second process on the machine takes the next port; one whose port was chosen says that it is taken', async (t) => {
  const first = await occupied()
  t.after(() => first.close())
  const port = portOf(first)
  const { lines, logger } = keepingLog()
  const served = await serveMetrics(registry, { host, port, ports: 10, isPortSet: false, setting }, logger)
  t.after(served.close)
  assert.ok(served.port !== undefined && served.port > port && served.port < port + 10)
  assert.deepEqual(lines, ['serving metrics'])
  await assert.rejects(serveMetrics(registry, { host, port, ports: 1, isPortSet: true, setting }, logger), {
    message: `port ${port} on 127.0.0.1 is taken: stop what listens there, or set SVC_WORKER_METRICS_PORT`,
  })
})

test('a process that finds no free port runs without metrics, and says so', async (t) => {
  const taken: Server[] = []
  t.after(() => taken.forEach((server) => server.close()))
  const first = 39_040
  // what cannot be occupied is another program's, which serves as well
  for (let port = first; port < first + 10; port += 1)
    await occupied(port).then(
      (server) => taken.push(server),
      () => {},
    )
  const { lines, logger } = keepingLog()
  const served = await serveMetrics(
    registry,
    { host, port: first, ports: 10, isPortSet: false, setting },
    logger,
  )
  assert.equal(served.port, undefined)
  assert.deepEqual(lines, [
    'ports 39040 to 39049 on 127.0.0.1 are taken, so this process serves no metrics: set SVC_WORKER_METRICS_PORT to a free one',
  ])
  await serveMetrics(registry, { host, port: first, ports: 1, isPortSet: false, setting }, logger)
  assert.equal(
    lines[1],
    'port 39040 on 127.0.0.1 is taken, so this process serves no metrics: set SVC_WORKER_METRICS_PORT to a free one',
  )
})
