import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { afterEach, beforeEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocketServer, type WebSocket } from 'ws'
import { openSocket, type Frame } from './sockets.ts'

let server: Server
let sockets: WebSocketServer
/** What happens to a handshake. Default: it is accepted. */
let onHandshake: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
const raw = new Set<Duplex>()
const patient = () => AbortSignal.timeout(10_000)

beforeEach(async () => {
  sockets = new WebSocketServer({ noServer: true })
  onHandshake = (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (opened) => void sockets.emit('connection', opened, request))
  server = createServer().on('upgrade', (request, socket: Duplex, head) => {
    raw.add(socket.on('error', () => {}))
    socket.once('close', () => raw.delete(socket))
    onHandshake(request, socket, head)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})

afterEach(() => {
  for (const socket of raw) socket.destroy()
  server.close()
})

const open = (signal = patient(), headers = {}) =>
  openSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/listen`, headers, signal)

const onConnection = (take: (socket: WebSocket, request: IncomingMessage) => void) =>
  sockets.on('connection', take)

async function until(isSo: () => boolean) {
  const patience = Date.now() + 5_000
  while (!isSo() && Date.now() < patience) await sleep(2)
  assert.ok(isSo())
}

/** Answers a handshake with this status and body, and leaves the connection as it is. */
const refuseWith = (status: string, body: string, length = body.length) =>
  (onHandshake = (_request, socket) => {
    socket.resume().once('end', () => socket.destroy())
    socket.write(`HTTP/1.1 ${status}\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n${body}`)
  })

test('frames go both ways as what they are, the one that comes with the handshake too', async () => {
  const got: Frame[] = []
  onConnection((socket, request) => {
    socket.send(`hello ${String(request.headers['x-key'])}`)
    socket.on('message', (data: Buffer, isBinary) => {
      got.push(isBinary ? data : data.toString())
      if (got.length === 3) socket.close(4000, 'enough')
    })
    socket.send(Buffer.from([1, 2]))
  })
  const socket = await open(patient(), { 'x-key': 'k' })
  await socket.send('text')
  await socket.sendJson({ a: 1 })
  await socket.send(Buffer.from([3]))
  assert.deepEqual(await Array.fromAsync(socket.frames()), ['hello k', Buffer.from([1, 2])])
  assert.deepEqual(got, ['text', '{"a":1}', Buffer.from([3])])
  assert.deepEqual(socket.closing, { code: 4000, reason: 'enough' })
  await socket.send('not heard') // and nothing throws
})

for (const [status, kind] of [
  ['401 Unauthorized', 'refused'],
  ['429 Too Many Requests', 'refused'],
  ['307 Temporary Redirect', 'refused'],
  ['503 Service Unavailable', 'silent'],
] as const)
  test(`a handshake answered with ${status} is ${kind}, in the vendor's words (SD-26)`, async () => {
    refuseWith(status, '{"error": {"message": "no such luck"}}')
    await assert.rejects(open(), { kind, message: 'no such luck' })
    await until(() => raw.size === 0)
  })

test('a refusal without words is its status', async () => {
  refuseWith('403 Forbidden', '')
  await assert.rejects(open(), { kind: 'refused', message: 'HTTP 403' })
})

test('a vendor that says no and then hangs has still said no (SD-26)', async () => {
  refuseWith('401 Unauthorized', 'no such luck', 1_000)
  await assert.rejects(open(), { kind: 'refused', message: 'no such luck' })
  await until(() => raw.size === 0)
})

test('a vendor that says no and then breaks off has still said no (SD-26)', async () => {
  onHandshake = (_request, socket) => {
    socket.write('HTTP/1.1 401 Unauthorized\r\nContent-Length: 1000\r\n\r\nno such luck')
    setImmediate(() => socket.end())
  }
  await assert.rejects(open(), { kind: 'refused', message: 'no such luck' })
})

test('an unreachable vendor, or one with another protocol, is no answer (SD-26)', async () => {
  onHandshake = (_request, socket) => socket.end('this is no handshake')
  await assert.rejects(open(), { kind: 'silent' })
  onHandshake = (_request, socket) => socket.destroy()
  await assert.rejects(open(), { kind: 'silent' })
  const { port } = server.address() as AddressInfo
  server.close()
  await assert.rejects(openSocket(`ws://127.0.0.1:${port}`, {}, patient()), { kind: 'silent' })
})

test('a cancel ends the handshake', async () => {
  onHandshake = (_request, socket) => void socket.resume().once('end', () => socket.destroy())
  const cancel = new AbortController()
  const opening = open(cancel.signal)
  await until(() => raw.size === 1)
  cancel.abort()
  await assert.rejects(opening, { name: 'AbortError' })
  await until(() => raw.size === 0)
  await assert.rejects(open(AbortSignal.abort()), { name: 'AbortError' })
})

test('a cancel closes an open socket towards the vendor too', async () => {
  const closing = Promise.withResolvers<number>()
  onConnection((socket) => socket.on('close', (code) => closing.resolve(code)))
  const cancel = new AbortController()
  const socket = await open(cancel.signal)
  const hearing = Array.fromAsync(socket.frames())
  cancel.abort()
  assert.deepEqual(await hearing, [])
  assert.equal(await closing.promise, 1000)
})

test('a vendor that hears no goodbye is left all the same', async () => {
  onConnection((socket) => socket.pause())
  const socket = await open()
  socket.end()
  socket.end()
  assert.deepEqual(await Array.fromAsync(socket.frames()), [])
  await until(() => socket.closing !== undefined)
})

test('a vendor that does not listen holds back the sender', async () => {
  onConnection((socket) => socket.pause())
  const socket = await open()
  let sent = 0
  const sending = (async () => {
    for (; sent < 1_000; sent += 1) await socket.send(Buffer.alloc(64 * 1024))
  })()
  let before = -1
  while (before !== sent) {
    before = sent
    await sleep(100)
  }
  assert.ok(sent < 500, `${sent} frames of 64 KiB were taken`)
  socket.end()
  await sending
})

for (const { what, frame, count, most } of [
  { what: 'many small frames', frame: 'x'.repeat(4_000), count: 5_000, most: 3_750 },
  { what: 'few large frames', frame: 'x'.repeat(512 * 1024), count: 100, most: 60 },
])
  test(`a vendor that sends ${what} gets backpressure while they are not read, and loses none`, async () => {
    let sent = 0
    onConnection((socket) => {
      const next = () => {
        if (sent === count) return socket.close(1000)
        sent += 1
        return socket.send(frame, () => setImmediate(next))
      }
      next()
    })
    const socket = await open()
    let before = -1
    while (before !== sent) {
      before = sent
      await sleep(150)
    }
    assert.ok(sent < most, `${sent} frames were sent without a reader`)
    let taken = 0
    for await (const each of socket.frames()) if (each === frame) taken += 1
    assert.equal(taken, count)
  })

test('a frame too large to be meant well is no answer', async () => {
  onConnection((socket) => socket.on('message', () => socket.send('x'.repeat(2 * 1024 * 1024))))
  const socket = await open()
  await socket.send('go on')
  assert.deepEqual(await Array.fromAsync(socket.frames()), [])
  assert.notEqual(socket.closing?.code, 1000)
})

test('a signal that lives on keeps nothing of a socket that does not', async () => {
  onConnection((socket) => socket.close(1000))
  const { signal } = new AbortController()
  const listeners = new Set<unknown>()
  const add = signal.addEventListener.bind(signal)
  const remove = signal.removeEventListener.bind(signal)
  signal.addEventListener = (...listener: Parameters<typeof add>) => {
    listeners.add(listener[1])
    add(...listener)
  }
  signal.removeEventListener = (...listener: Parameters<typeof remove>) => {
    listeners.delete(listener[1])
    remove(...listener)
  }
  await Array.fromAsync((await open(signal)).frames())
  assert.equal(listeners.size, 0)
})
