import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setInterval as every } from 'node:timers/promises'
import { headOf, RawSocket } from '@switchroom/gateway/testing/http/raw-sockets'
import { until } from '@switchroom/gateway/testing/until'
import { startWithFakeGateway } from '../../testing/speech-server.ts'
import { VoiceCaller } from '../../testing/voice-deployment.ts'
import { readSettings } from '../foundation/settings.ts'

const speech = await startWithFakeGateway({ SVC_BODY_STALL_S: '1', SVC_HEADERS_TIMEOUT_S: '1' })
after(() => speech[Symbol.asyncDispose]())
const opened: RawSocket[] = []
after(() => opened.forEach((socket) => socket.destroy()))
const open = (url: string, localAddress?: string) => {
  const socket = new RawSocket(url, localAddress)
  opened.push(socket)
  return socket
}
const bearer = { authorization: 'Bearer svc_live_x' }
const allGone = (sockets: RawSocket[]) =>
  until('every connection is closed', () => sockets.every(({ isOpen }) => !isOpen), 10_000)

test('200 half-sent bodies are closed, and a request beside them is answered promptly', async () => {
  const sockets = Array.from({ length: 200 }, (_, n) =>
    open(speech.url).write(headOf('/v1/audio/speech', 500, n % 2 ? bearer : {}) + '{"input":'),
  )
  await Promise.all(sockets.map((socket) => socket.connected()))
  const begunMs = performance.now()
  assert.equal((await new VoiceCaller(speech.url, 'svc_live_x').get('/v1/audio/voices')).status, 200)
  assert.ok(performance.now() - begunMs < 2000, 'the answer is not delayed')
  await allGone(sockets)
  assert.equal(speech.log().includes('a request failed'), false, 'no fault of ours')
})

test('headers that come too slowly are closed', async () => {
  const sockets = Array.from({ length: 20 }, () =>
    open(speech.url).write('GET /healthz HTTP/1.1\r\nx-drop: '),
  )
  const drops = setInterval(() => sockets.forEach((socket) => socket.write('x')), 100)
  await allGone(sockets).finally(() => clearInterval(drops))
})

test('an upload that comes steadily may take longer than a pause may', async () => {
  const piece = 'x'.repeat(16 * 1024)
  const type = 'multipart/form-data; boundary=b'
  const head = '--b\r\ncontent-disposition: form-data; name="other"; filename="o"\r\n\r\n'
  const body = `${head}${piece.repeat(16)}\r\n--b--\r\n`
  const request = headOf('/v1/audio/transcriptions', body.length, bearer).replace('application/json', type)
  const socket = open(speech.url).write(request)
  let sent = 0
  for await (const _ of every(150)) {
    socket.write(body.slice(sent, (sent += piece.length)))
    if (sent >= body.length) break
  }
  await until('it is answered', () => socket.received !== '')
  assert.match(socket.received, /^HTTP\/1\.1 400 [^]*`file` is required/)
})

test('connections of one address are capped, and those of another address are served', async () => {
  await using own = await startWithFakeGateway({ SVC_MAX_CONNECTIONS_PER_ADDRESS: '20' })
  const flood = Array.from({ length: 60 }, () => open(own.url, '127.0.0.2'))
  await Promise.all(flood.map((socket) => socket.connected()))
  await until('the rest is closed', () => flood.filter(({ isOpen }) => isOpen).length === 20)
  assert.equal((await new VoiceCaller(own.url).get('/healthz')).status, 200)
})

test('every answer says that its type is not to be guessed', async () => {
  const caller = new VoiceCaller(speech.url)
  for (const path of ['/healthz', '/nowhere', '/%zz', '/v1/audio/voices'])
    assert.equal((await caller.get(path)).headers.get('x-content-type-options'), 'nosniff', path)
  const broken = open(speech.url).write('garbage\r\n\r\n')
  await broken.closed
  assert.match(broken.received, /\r\nX-Content-Type-Options: nosniff\r\n/)
})

test('by default slow headers and stalled bodies are gone within half a minute', () => {
  const { trustedProxies: _, ...limits } = readSettings({ SVC_FLEET_KEY: 'x' }).connections
  assert.deepEqual(limits, {
    headersTimeoutMs: 10_000,
    requestTimeoutMs: 600_000,
    bodyStallMs: 10_000,
    mostConnections: 10_000,
    mostConnectionsPerAddress: 1000,
  })
})
