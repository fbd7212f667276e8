import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { sine, strengthOf } from '@switchroom/audio/testing/tones'
import { missing } from '@switchroom/tools/debian-packages'
import { strangersOffer } from '../../testing/strangers-offer.ts'
import { BrowserCaller } from '../../testing/webrtc-browser.ts'
import { answerOffer } from './answer-offer.ts'
import type { BrowserLeg } from './browser-leg.ts'
import { usernameOf } from './stun-username.ts'
import { TcpCandidates } from './tcp-candidates.ts'
import { FrameReader, writeFrame } from './tcp-frames.ts'

/** As a network that lets no UDP through leaves it. */
const withoutUdp = (sdp: string) =>
  sdp
    .split('\r\n')
    .filter((line) => !/^a=candidate:\S+ \d+ udp /i.test(line))
    .join('\r\n')

/** Where the answer says that TCP is taken. */
function tcpAddress(sdp: string) {
  const [, host, port] = /^a=candidate:\S+ 1 tcp \d+ (\S+) (\d+) typ host tcptype passive/m.exec(sdp) ?? []
  assert.ok(host)
  return { host, port: Number(port) }
}

/** A connectivity check with nothing in it but this name. */
function check(username: string): Buffer {
  const name = Buffer.from(username)
  const value = Buffer.alloc(Math.ceil(name.length / 4) * 4)
  name.copy(value)
  const message = Buffer.alloc(24)
  message.writeUInt16BE(0x0001, 0)
  message.writeUInt16BE(4 + value.length, 2)
  message.writeUInt32BE(0x2112a442, 4)
  message.writeUInt16BE(0x0006, 20)
  message.writeUInt16BE(name.length, 22)
  return Buffer.concat([message, value])
}

async function connected(t: TestContext, sdp: string): Promise<Socket> {
  const socket = connect(tcpAddress(sdp))
  t.after(() => socket.destroy())
  socket.on('error', () => {}).resume()
  await once(socket, 'connect')
  return socket
}

test(
  'a browser whose network lets no UDP through is heard and hears over TCP, also after an ICE restart',
  { skip: missing('chromium') },
  async (t) => {
    let leg: BrowserLeg | undefined
    const again = Promise.withResolvers<void>()
    const caller = await BrowserCaller.call(sine(440, 96_000, 48_000), async (offered) => {
      if (leg) {
        again.resolve()
        return withoutUdp(leg.reconnect(offered))
      }
      const answered = await answerOffer(offered)
      leg = answered.leg
      return withoutUdp(answered.sdp)
    })
    t.after(() => caller.stop())
    await caller.until(({ state }) => state === 'connected')
    assert.ok(leg)
    t.after(() => leg?.hangUp())
    const isBothWays = async (hz: number) => {
      const since = caller.told.length
      assert.ok(leg)
      for await (const frame of leg.heard()) if (strengthOf(440, frame, leg.sampleRate) > 0.2) break
      void leg.play(sine(hz, leg.sampleRate, leg.sampleRate))
      await caller.until((told) => Math.abs((told.hz ?? 0) - hz) < 30 && (told.level ?? -200) > -40, since)
    }
    await isBothWays(1000)
    caller.order('restart')
    await again.promise
    await isBothWays(1500)
  },
)

test('a TCP connection that names another browser, says something else or too much is closed', async (t) => {
  const { sdp, leg } = await answerOffer(strangersOffer)
  t.after(() => leg.hangUp())
  const tooLong = Buffer.from([0x7f, 0xff])
  for (const said of [writeFrame(check('else:FYUD')), writeFrame(Buffer.from('GET / HTTP/1.1')), tooLong]) {
    const socket = await connected(t, sdp)
    socket.write(said)
    await once(socket, 'close')
  }
})

test('a call takes eight TCP connections at once, and none when it is over', async (t) => {
  const { sdp, leg } = await answerOffer(strangersOffer)
  t.after(() => leg.hangUp())
  const ours = /^a=ice-ufrag:(\S+)/m.exec(sdp)?.[1]
  const named = async () => {
    const socket = await connected(t, sdp)
    socket.write(writeFrame(check(`${ours}:FYUD`)))
    return socket
  }
  const open: Socket[] = []
  while (open.length < 8) open.push(await named())
  const ninth = await named()
  if (!ninth.closed) await once(ninth, 'close')
  assert.ok(open.every(({ closed }) => !closed))
  const allClosed = Promise.all(open.map((socket) => once(socket, 'close')))
  await leg.hangUp()
  await allClosed
  await assert.rejects(connected(t, sdp))
})

test('a candidate whose port is taken for TCP is left as it is', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1')
  t.after(() => taken.close())
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const answer = `v=0\r\na=candidate:1 1 udp 2130706431 127.0.0.1 ${port} typ host\r\n`
  const { sdp, candidates } = await TcpCandidates.beside(answer, () => true)
  t.after(() => candidates.close())
  assert.equal(sdp, answer)
})

test('packets are read from a stream however it is cut', () => {
  const packets = [Buffer.from('first'), Buffer.alloc(0), Buffer.alloc(1200, 7)]
  const stream = Buffer.concat(packets.map(writeFrame))
  for (const piece of [1, 2, 7, stream.length]) {
    const reader = new FrameReader()
    const read: Buffer[] = []
    for (let at = 0; at < stream.length; at += piece)
      read.push(...reader.read(stream.subarray(at, at + piece)))
    assert.deepEqual(read, packets)
  }
})

test('what is no connectivity check, or cut short, names nobody', () => {
  const whole = check('ours:theirs')
  assert.equal(usernameOf(whole), 'ours:theirs')
  for (let length = 0; length < whole.length - 1; length += 1)
    assert.equal(usernameOf(whole.subarray(0, length)), undefined)
  const response = Buffer.from(whole)
  response.writeUInt16BE(0x0101, 0)
  assert.equal(usernameOf(response), undefined)
})
