import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { until } from '@switchroom/gateway/testing/until'
import { keepConnectionsIn } from '../testing/kept-dispatcher.ts'
import { trustedCertificate } from '../testing/trusted-certificate.ts'
import { startWireFake } from '../testing/wire-fake.ts'
import { connectAhead } from './kept-connections.ts'
import { ask, jsonOf } from './requests.ts'

const patienceMs = 20_000

async function secureVendor(t: TestContext) {
  const certificate = await trustedCertificate(t)
  const fake = await startWireFake(
    { refusal: () => ({}), http: (_seen, answer) => answer.json({ said: true }) },
    certificate,
  )
  t.after(() => fake.stop())
  return fake
}

async function listening(t: TestContext, server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const saysAt = async (url: string) =>
  jsonOf(await ask(url, { body: '{}', signal: AbortSignal.timeout(patienceMs) }))

const failedWith = (code: string) => (error: Error) => (error.cause as { code?: string }).code === code

test('a process that keeps no connections opens none ahead', async (t) => {
  const vendor = await secureVendor(t)
  await connectAhead(vendor.url)
  assert.equal(vendor.handshakes, 0)
})

test('the first request uses the connection that was opened ahead, and however often it is wanted there is one', async (t) => {
  keepConnectionsIn(t, 60_000)
  const vendor = await secureVendor(t)
  await Promise.all([connectAhead(vendor.url), connectAhead(vendor.url), connectAhead(vendor.url)])
  await until('a handshake', () => vendor.handshakes === 1)
  assert.equal(vendor.seen.length, 0) // nothing was asked

  assert.deepEqual(await saysAt(vendor.url), { said: true })
  assert.equal(vendor.handshakes, 1)
})

test('no connection is opened ahead while a kept one is unused', async (t) => {
  keepConnectionsIn(t, 60_000)
  const vendor = await secureVendor(t)
  await saysAt(vendor.url)
  await new Promise(setImmediate) // the pool learns after the answer was read that its connection is free
  await connectAhead(vendor.url)
  assert.deepEqual(await saysAt(vendor.url), { said: true })
  assert.equal(vendor.handshakes, 1)
})

test('a connection opened ahead that the vendor closes is forgotten, and opened again when it is wanted', async (t) => {
  keepConnectionsIn(t, 60_000)
  const sockets: Socket[] = []
  const url = (
    await listening(
      t,
      createServer((socket) => void sockets.push(socket)),
    )
  ).replace('s:', ':')
  await connectAhead(url)
  await until('it is connected', () => sockets.length === 1)
  const closed = once(sockets[0] as Socket, 'close') // just counted
  sockets[0]?.end()
  await closed
  await until('it is opened again', async () => {
    await connectAhead(url)
    return sockets.length === 2
  })
})

test('a connection that was opened ahead and that nobody used is closed', async (t) => {
  keepConnectionsIn(t, 50)
  const closed = Promise.withResolvers<void>()
  const server = createServer((socket) => socket.resume().on('close', closed.resolve))
  await connectAhead((await listening(t, server)).replace('s:', ':'))
  await closed.promise
})

test('a vendor that hangs in the handshake costs the request nothing that opens a connection of its own', async (t) => {
  keepConnectionsIn(t, 60_000)
  const vendor = await secureVendor(t)
  const hanging: Socket[] = []
  let hangs = true
  // the first connection hangs; those after it are the vendor's
  const url = await listening(
    t,
    createServer((socket) => {
      socket.on('error', () => {})
      if (hangs) hanging.push(socket)
      else
        socket
          .pipe(onward(vendor.url))
          .on('error', () => {})
          .pipe(socket)
    }),
  )
  t.after(() => hanging.forEach((socket) => socket.destroy()))
  void connectAhead(url)
  await until('it hangs', () => hanging.length === 1)
  hangs = false
  assert.deepEqual(await saysAt(url), { said: true })
  assert.equal(vendor.handshakes, 1)
})

test('a vendor that is down is silent ahead, and the request says so', async (t) => {
  keepConnectionsIn(t, 60_000)
  const server = createServer()
  const url = await listening(t, server)
  await new Promise((resolve) => server.close(resolve))
  await connectAhead(url)
  await assert.rejects(saysAt(url), failedWith('ECONNREFUSED'))
})

test('a certificate of another name is refused ahead and in the request', async (t) => {
  keepConnectionsIn(t, 60_000)
  const vendor = await secureVendor(t)
  const url = vendor.url.replace('127.0.0.1', '127.0.0.2')
  const far = createServer((socket) => void socket.pipe(onward(vendor.url)).pipe(socket))
  far.on('error', () => {})
  await once(far.listen(Number(new URL(vendor.url).port), '127.0.0.2'), 'listening')
  t.after(() => far.close())
  await connectAhead(url)
  await assert.rejects(saysAt(url), failedWith('ERR_TLS_CERT_ALTNAME_INVALID'))
  assert.equal(vendor.seen.length, 0)
})

const onward = (url: string) => connect(Number(new URL(url).port), '127.0.0.1')
