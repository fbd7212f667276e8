import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocketServer, type WebSocket } from 'ws'
import { refused, VendorFailure } from './failures.ts'
import { listenLive, type LiveWire } from './live-transcription.ts'
import { openSocket } from './sockets.ts'
import type { Heard, LiveAudio } from './vendor.ts'

let server: WebSocketServer
const patient = () => AbortSignal.timeout(10_000)

beforeEach(async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
})

afterEach(() => {
  for (const client of server.clients) client.terminate()
  server.close()
})

/** A wire of plain words: what the vendor writes is a partial, `yes`, `no` and `bye` mean what they say. */
const plainWire = (change: Partial<LiveWire> = {}): LiveWire => ({
  open: (signal) => openSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, {}, signal),
  audio: (pcm) => pcm,
  finalize: () => 'commit',
  end: () => 'end',
  *hear(frame) {
    if (frame === 'no') throw refused('it says no')
    if (frame === 'yes') yield { type: 'ready' }
    else if (frame === 'bye') yield 'finished'
    else yield { type: 'partial', text: String(frame) }
  },
  ...change,
})

/** Every frame the vendor gets: texts as they are, audio as its length. */
function onFrames(take: (frame: string | number, socket: WebSocket) => void, greeting = 'yes') {
  server.on('connection', (socket) => {
    socket.on('message', (data: Buffer, isBinary) => take(isBinary ? data.length : data.toString(), socket))
    if (greeting) socket.send(greeting)
  })
}

async function* of(...pieces: LiveAudio[]): AsyncIterable<LiveAudio> {
  yield* pieces
}

/** Audio that never ends; reports when its reader is gone. */
function endless(piece: Uint8Array | undefined) {
  const told = { isLetGo: false, taken: 0 }
  const audio: AsyncIterable<LiveAudio> = {
    [Symbol.asyncIterator]: () => ({
      async next() {
        told.taken += 1
        if (!piece) return new Promise(() => {})
        return { done: false, value: piece }
      },
      async return() {
        told.isLetGo = true
        return { done: true, value: undefined }
      },
    }),
  }
  return { audio, told }
}

async function until(isSo: () => boolean) {
  const patience = Date.now() + 5_000
  while (!isSo() && Date.now() < patience) await sleep(2)
  assert.ok(isSo())
}

async function failureOf(heard: AsyncIterable<Heard>): Promise<VendorFailure> {
  const failure: unknown = await Array.fromAsync(heard).then(
    () => undefined,
    (error: unknown) => error,
  )
  assert.ok(failure instanceof VendorFailure, String(failure))
  return failure
}

test('audio, the wish to commit and the end go out in order, and what the vendor says comes in', async () => {
  const got: (string | number)[] = []
  onFrames((frame, socket) => {
    got.push(frame)
    if (frame === 'commit') socket.send('so far')
    if (frame === 'end') for (const word of ['all', 'bye', 'too late']) socket.send(word)
  })
  const audio = of(new Uint8Array(640), 'finalize', new Uint8Array(320))
  const heard = await Array.fromAsync(listenLive(plainWire(), audio, 16_000, patient()))
  assert.deepEqual(got, [640, 'commit', 320, 'end'])
  assert.deepEqual(heard, [
    { type: 'ready' },
    { type: 'partial', text: 'so far' },
    { type: 'partial', text: 'all' },
  ])
  await until(() => server.clients.size === 0)
})

test('no audio goes out before the vendor said yes', async () => {
  const got: (string | number)[] = []
  onFrames((frame, socket) => {
    got.push(frame)
    if (frame === 'end') socket.send('bye')
  }, '')
  server.on('connection', (socket) => {
    socket.send('wait')
    socket.once('pong', () => socket.send(got.length === 0 ? 'yes' : 'no'))
    socket.ping()
  })
  const heard = await Array.fromAsync(listenLive(plainWire(), of(new Uint8Array(2)), 16_000, patient()))
  assert.deepEqual(heard, [{ type: 'partial', text: 'wait' }, { type: 'ready' }])
})

test('if an open socket alone means accepted, ready comes first', async () => {
  onFrames((frame, socket) => frame === 'end' && socket.send('bye'), 'hello')
  const wire = plainWire({ isReadyOnceOpen: true })
  const heard = await Array.fromAsync(listenLive(wire, of(), 16_000, patient()))
  assert.deepEqual(heard, [{ type: 'ready' }, { type: 'partial', text: 'hello' }])
})

test('a vendor that says yes again is not heard twice', async () => {
  onFrames((frame, socket) => frame === 'end' && socket.send('bye'))
  server.on('connection', (socket) => socket.send('yes'))
  const heard = await Array.fromAsync(listenLive(plainWire(), of(), 16_000, patient()))
  assert.deepEqual(heard, [{ type: 'ready' }])
})

test('a vendor without a word for it is not asked to commit', async () => {
  const got: (string | number)[] = []
  onFrames((frame, socket) => {
    got.push(frame)
    if (frame === 'end') socket.send('bye')
  })
  const wire = plainWire()
  delete wire.finalize
  await Array.fromAsync(listenLive(wire, of('finalize', new Uint8Array(2)), 16_000, patient()))
  assert.deepEqual(got, [2, 'end'])
})

test('a silent caller does not lose the vendor, and an ended one leaves no timer', async () => {
  const got: (string | number)[] = []
  const ended = Promise.withResolvers<void>()
  async function* slow(): AsyncIterable<LiveAudio> {
    yield new Uint8Array(2)
    await until(() => got.filter((frame) => frame === 'alive').length >= 3)
  }
  onFrames((frame, socket) => {
    got.push(frame)
    if (frame === 'end') void ended.promise.then(() => socket.send('bye'))
  })
  const wire = plainWire({ keepAlive: { everyMs: 5, frame: () => 'alive' } })
  const hearing = Array.fromAsync(listenLive(wire, slow(), 16_000, patient()))
  await until(() => got.includes('end'))
  await sleep(30) // six times as long as a silence may be
  ended.resolve()
  await hearing
  assert.deepEqual([got[0], got.at(-1)], [2, 'end'])
})

test('audio that comes often enough needs nothing to keep the vendor', async () => {
  const got: (string | number)[] = []
  async function* steady(): AsyncIterable<LiveAudio> {
    for (let piece = 0; piece < 20; piece += 1) {
      yield new Uint8Array(2)
      await sleep(10)
    }
  }
  onFrames((frame, socket) => {
    got.push(frame)
    if (frame === 'end') socket.send('bye')
  })
  const wire = plainWire({ keepAlive: { everyMs: 150, frame: () => 'alive' } })
  await Array.fromAsync(listenLive(wire, steady(), 16_000, patient()))
  assert.ok(!got.includes('alive'))
})

test('audio that fails fails the transcription, and closes the connection to the vendor', async () => {
  onFrames(() => {})
  async function* broken(): AsyncIterable<LiveAudio> {
    yield new Uint8Array(2)
    throw new Error('the line is cut')
  }
  await assert.rejects(Array.fromAsync(listenLive(plainWire(), broken(), 16_000, patient())), {
    message: 'the line is cut',
  })
  await until(() => server.clients.size === 0)
})

test('a refusal of the vendor closes its connection and the audio', async () => {
  const { audio, told } = endless(undefined)
  onFrames(() => {})
  server.on('connection', (socket) => socket.send('no'))
  const failure = await failureOf(listenLive(plainWire(), audio, 16_000, patient()))
  assert.deepEqual([failure.kind, failure.message], ['refused', 'it says no'])
  await until(() => told.isLetGo && server.clients.size === 0)
})

test('a vendor that closes before it has finished broke off (SD-26)', async () => {
  const { audio, told } = endless(undefined)
  onFrames(() => {})
  server.on('connection', (socket) => socket.close(1011, 'out of capacity'))
  const failure = await failureOf(listenLive(plainWire(), audio, 16_000, patient()))
  assert.deepEqual([failure.kind, failure.message], ['silent', 'it broke off: out of capacity'])
  await until(() => told.isLetGo)
})

test('the wire says what a close means: no, or that all is well', async () => {
  onFrames((frame, socket) => frame === 'end' && socket.close(4001, 'no money'))
  const saysNo = plainWire({ closed: ({ code, reason }) => (code === 4001 ? refused(reason) : null) })
  assert.equal((await failureOf(listenLive(saysNo, of(), 16_000, patient()))).message, 'no money')
  const isWell = plainWire({ closed: () => null })
  assert.deepEqual(await Array.fromAsync(listenLive(isWell, of(), 16_000, patient())), [{ type: 'ready' }])
})

test('a cancel ends it at once, and lets the vendor and the audio go', async () => {
  const { audio, told } = endless(undefined)
  onFrames(() => {})
  const cancel = new AbortController()
  const hearing = Array.fromAsync(listenLive(plainWire(), audio, 16_000, cancel.signal))
  await until(() => told.taken > 0)
  cancel.abort()
  await assert.rejects(hearing, { name: 'AbortError' })
  await until(() => told.isLetGo && server.clients.size === 0)
})

test('a cancel reaches the vendor while the transcript is not read', async () => {
  const { audio, told } = endless(undefined)
  onFrames(() => {})
  const cancel = new AbortController()
  for await (const heard of {
    [Symbol.asyncIterator]: () => withoutReturn(plainWire(), audio, cancel.signal),
  })
    if (heard.type === 'ready') break
  assert.equal(server.clients.size, 1)
  cancel.abort()
  await until(() => told.isLetGo && server.clients.size === 0)
})

function withoutReturn(wire: LiveWire, audio: AsyncIterable<LiveAudio>, signal: AbortSignal) {
  const iterator = listenLive(wire, audio, 16_000, signal)[Symbol.asyncIterator]()
  return { next: () => iterator.next() }
}

test('a vendor that does not listen holds the audio back', async () => {
  const { audio, told } = endless(new Uint8Array(32_000))
  server.on('connection', (socket) => {
    socket.send('yes')
    socket.pause()
  })
  const cancel = new AbortController()
  const hearing = Array.fromAsync(listenLive(plainWire(), audio, 16_000, cancel.signal))
  let before = -1
  while (before !== told.taken) {
    before = told.taken
    await sleep(150)
  }
  assert.ok(told.taken > 0 && told.taken < 1_000, `${told.taken} pieces were taken`)
  cancel.abort()
  await assert.rejects(hearing, { name: 'AbortError' })
})

test('audio that comes too fast is slowed to real time if the vendor asks for it', async () => {
  onFrames((frame, socket) => frame === 'end' && socket.send('bye'))
  const second = () => new Uint8Array(2_000)
  const started = performance.now()
  const wire = plainWire({ aheadMs: 2_750 })
  await Array.fromAsync(listenLive(wire, of(second(), second(), second()), 1_000, patient()))
  assert.ok(performance.now() - started >= 245, 'three seconds may come 2.75 seconds early, and no earlier')
})
