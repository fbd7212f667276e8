import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setInterval as every } from 'node:timers/promises'
import { startDeployment, testEnvironment } from '../../testing/deployment.ts'
import { headOf, RawSocket } from '../../testing/http/raw-sockets.ts'
import { until } from '../../testing/until.ts'
import { readSettings } from '../foundation/settings.ts'

const deployment = await startDeployment({ SVC_BODY_STALL_S: '1', SVC_HEADERS_TIMEOUT_S: '1' })
after(() => deployment[Symbol.asyncDispose]())
const dashboardUrl = `http://127.0.0.1:${deployment.gateway.dashboardPort}`
const { client, key } = await (await deployment.newOrg()).person('qa')

const opened: RawSocket[] = []
after(() => opened.forEach((socket) => socket.destroy()))
const open = (url: string, localAddress?: string) => {
  const socket = new RawSocket(url, localAddress)
  opened.push(socket)
  return socket
}
const allGone = (sockets: RawSocket[]) =>
  until('every connection is closed', () => sockets.every(({ isOpen }) => !isOpen), 10_000)
const timeOut =
  /^HTTP\/1\.1 408 Request Timeout\r\n[^]*\r\nX-Content-Type-Options: nosniff\r\n[^]*that request took too long to arrive/

test('200 half-sent bodies are closed, and a request beside them is answered promptly', async () => {
  const half = '{"email":"a@example.com",'
  const sockets = Array.from({ length: 200 }, (_, n) =>
    open(n % 4 === 0 ? dashboardUrl : deployment.url).write(headOf('/v1/login', 500) + half),
  )
  await Promise.all(sockets.map((socket) => socket.connected()))
  const begunMs = performance.now()
  assert.equal((await client.get('/v1/whoami')).status, 200)
  assert.ok(performance.now() - begunMs < 2000, 'the answer is not delayed')
  await allGone(sockets)
  for (const { received } of sockets.filter((_, n) => n % 4 !== 0)) assert.match(received, timeOut)
  assert.equal(deployment.log().includes('a request failed'), false, 'no fault of ours')
})

test('a body that comes by drops is closed, whether or not its sender may ask that', async () => {
  const refusedFirst = open(deployment.url).write(headOf('/v1/members', 100_000))
  const drop = open(deployment.url).write(headOf('/v1/login', 100_000))
  const drops = setInterval(() => [refusedFirst, drop].forEach((socket) => socket.write(' ')), 100)
  await allGone([refusedFirst, drop]).finally(() => clearInterval(drops))
  assert.match(refusedFirst.received, /^HTTP\/1\.1 401 /)
  assert.match(drop.received, timeOut)
})

test('headers that come too slowly are closed, as is a connection that says nothing', async () => {
  const sockets = [deployment.url, dashboardUrl].flatMap((url) =>
    Array.from({ length: 20 }, () => open(url).write('GET /v1/whoami HTTP/1.1\r\nx-drop: ')),
  )
  const silent = open(deployment.url)
  const drops = setInterval(() => sockets.forEach((socket) => socket.write('x')), 100)
  await allGone([...sockets, silent]).finally(() => clearInterval(drops))
})

test('a body that comes steadily may take longer than a pause may', async () => {
  const piece = 'x'.repeat(16 * 1024)
  const pieces = 16
  const body = JSON.stringify({ email: 'a@example.com', password: piece.repeat(pieces) })
  const socket = open(deployment.url).write(headOf('/v1/login', body.length))
  let sent = 0
  for await (const _ of every(150)) {
    socket.write(body.slice(sent, (sent += piece.length)))
    if (sent >= body.length) break
  }
  await until('it is answered', () => socket.received !== '')
  assert.match(socket.received, /^HTTP\/1\.1 401 /)
})

test('an event stream and a socket stay open for longer than a request may take to arrive', async () => {
  const socket = await client.open('/v1/chat?agent=nobody')
  if ('readyState' in socket) socket.terminate()
  const { key: token } = await (await deployment.newOrg()).serverToken('sandbox', { scopes: ['app'] })
  const app = await deployment.anonymous.as(token).open('/v1/apps')
  assert.ok('readyState' in app)
  const stream = await fetch(`${deployment.url}/v1/events`, { headers: { authorization: `Bearer ${key}` } })
  assert.equal(stream.status, 200)
  let isEnded = false
  void stream.body?.pipeTo(new WritableStream()).then(
    () => (isEnded = true),
    () => (isEnded = true),
  )
  const stalled = open(deployment.url).write(headOf('/v1/login', 500))
  await allGone([stalled])
  await allGone([open(deployment.url).write(headOf('/v1/login', 500))])
  assert.deepEqual([isEnded, app.readyState], [false, app.OPEN])
  app.terminate()
})

test('connections of one address are capped, and those of another address are served', async () => {
  await using own = await startDeployment({ SVC_MAX_CONNECTIONS_PER_ADDRESS: '20' })
  const flood = Array.from({ length: 100 }, () => open(own.url, '127.0.0.2'))
  const openOnes = () => flood.filter(({ isOpen }) => isOpen)
  await Promise.all(flood.map((socket) => socket.connected()))
  await until('the rest is closed', () => openOnes().length === 20)
  assert.equal((await own.anonymous.get('/healthz')).status, 200)
  assert.match(own.log(), /"setting":"SVC_MAX_CONNECTIONS_PER_ADDRESS"/)
  openOnes().forEach((socket) => socket.destroy())
  await until('what is closed makes room', async () => {
    const again = open(own.url, '127.0.0.2').write(
      'GET /healthz HTTP/1.1\r\nconnection: close\r\nhost: x\r\n\r\n',
    )
    await again.closed
    return again.received.startsWith('HTTP/1.1 200')
  })
})

test('a trusted proxy carries the connections of many clients and has no cap of its own', async () => {
  await using own = await startDeployment({
    SVC_MAX_CONNECTIONS_PER_ADDRESS: '5',
    SVC_TRUSTED_PROXIES: '127.0.0.2',
  })
  const sockets = Array.from({ length: 30 }, () =>
    open(own.url, '127.0.0.2').write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'),
  )
  await until('all are answered', () => sockets.every(({ received }) => received !== ''))
})

test('connections of all together are capped, and one that ends makes room', async () => {
  await using own = await startDeployment({ SVC_MAX_CONNECTIONS: '30' })
  const flood = Array.from({ length: 60 }, (_, n) => open(own.url, `127.0.1.${n + 1}`))
  await Promise.all(flood.map((socket) => socket.connected()))
  await until('the rest is closed', () => flood.filter(({ isOpen }) => isOpen).length === 30)
  assert.match(own.log(), /"setting":"SVC_MAX_CONNECTIONS"/)
  flood.forEach((socket) => socket.destroy())
  await until('there is room', async () =>
    own.anonymous.get('/healthz').then(
      ({ status }) => status === 200,
      () => false,
    ),
  )
})

test('by default slow headers and stalled bodies are gone within half a minute, on both listeners', () => {
  const { connections } = readSettings(testEnvironment('postgresql://x')).limits
  assert.deepEqual(connections, {
    headersTimeoutMs: 10_000,
    requestTimeoutMs: 600_000,
    bodyStallMs: 10_000,
    mostConnections: 10_000,
    mostConnectionsPerAddress: 1000,
  })
  for (const { server } of [
    deployment.gateway.server,
    deployment.gateway.dashboard,
    deployment.gateway.metrics,
  ])
    assert.deepEqual(
      [server.headersTimeout, server.requestTimeout, server.maxConnections],
      [1000, 600_000, 10_000],
    )
})
