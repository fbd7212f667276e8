import { createSocket, type Socket } from 'node:dgram'
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { onThePhone } from '../../testing/rtp-call.ts'
import { until } from '../../testing/sip-peer.ts'
import { RtpPhone } from '../../testing/rtp-phone.ts'
import { LineReports } from './line-reports.ts'
import { readRtcp, type Report, writeRtcp } from './rtcp-packet.ts'

const receiverReport = writeRtcp({ ssrc: 7, sender: null, blocks: [] }, 'phone', false)

/** A socket for the reports of a phone, and what came to it. */
async function reportsAt(t: TestContext, port: number, address = '127.0.0.1') {
  const socket = createSocket('udp4')
  t.after(() => socket.close())
  const came: { reports: Report[] | undefined; bytes: Buffer }[] = []
  socket.on('message', (bytes) => came.push({ reports: readRtcp(bytes), bytes }))
  await new Promise<void>((resolve) => socket.bind(port, address, resolve))
  return { socket, came }
}

const send = (socket: Socket, bytes: Uint8Array, port: number) =>
  new Promise<void>((resolve) => socket.send(bytes, port, '127.0.0.1', () => resolve()))

/** Reports of a leg on a clock that the test moves, with the leg's sound left out. */
async function reporting(t: TestContext, terms = {}) {
  const phone = await RtpPhone.ring()
  const { port } = phone
  let nowMs = 1_800_000_000_000
  let signs = 0
  const beside: Buffer[] = []
  const reports = new LineReports(
    { ...phone.terms, ...terms },
    {
      ssrc: () => 99,
      timestamp: () => 0,
      soundTo: () => ({ address: '127.0.0.1', port }),
      sendBeside: (bytes) => beside.push(bytes),
      seal: (bytes) => bytes,
      open: (bytes) => bytes,
      onReport: () => (signs += 1),
      nowMs: () => nowMs,
    },
  )
  t.after(() => {
    reports.end()
    phone.close()
  })
  const packet = Buffer.alloc(172)
  return {
    phone,
    reports,
    beside,
    signs: () => signs,
    now: () => nowMs,
    pass: (ms: number) => {
      nowMs += ms
      reports.sent(packet)
      reports.tick()
    },
  }
}

test('a leg reports on the port above its sound who it is, what it sent and what it heard, and says goodbye', async (t) => {
  const { phone, leg } = await onThePhone(t)
  const { came } = await reportsAt(t, phone.port + 1)
  for (const sequence of [1, 2, 3, 5]) phone.say(new Int16Array(160), { sequence })
  await until(() => came.length > 0)
  const [{ reports, bytes } = { reports: [], bytes: Buffer.alloc(0) }] = came
  assert.equal(reports?.[0]?.ssrc, phone.received[0]?.ssrc)
  assert.ok((reports?.[0]?.sender?.packets ?? 0) > 10)
  const [block] = reports?.[0]?.blocks ?? []
  assert.deepEqual([block?.ssrc, block?.lost, block?.highest], [7, 1, 5])
  const name = bytes.indexOf(Buffer.of(1, 16)) + 2 // the item of a name of 16 letters
  assert.match(bytes.toString('latin1', name, name + 16), /^[\w+/]{16}$/)
  await leg.hangUp()
  await until(() => came.at(-1)?.bytes.at(-7) === 203)
  assert.deepEqual(leg.line.heard.expected, 5)
})

test('reports go to the port that was signalled for them, and beside the sound if both ends share its port', async (t) => {
  const own = await reportsAt(t, 0)
  const apart = await reporting(t, { remoteRtcpPort: own.socket.address().port })
  await until(() => {
    apart.pass(8000) // until its own socket is bound
    return own.came.length > 0
  })
  const shared = await reporting(t, { rtcpMux: true })
  shared.pass(8000)
  assert.equal(shared.beside.length, 1)
  assert.equal(apart.beside.length, 0)
})

test("a phone's reports are read from its own address alone, on either port, and say how it hears us", async (t) => {
  const { phone, reports, signs, now, pass } = await reporting(t)
  const { socket, came } = await reportsAt(t, phone.port + 1)
  const stranger = await reportsAt(t, 0, '127.0.0.2')
  await until(() => {
    pass(8000)
    return came.length > 0
  })
  await send(stranger.socket, receiverReport, phone.localPort + 1)
  reports.receive(receiverReport, { address: '127.0.0.2', port: phone.port })
  reports.receive(receiverReport, { address: '127.0.0.1', port: phone.port + 5 })
  const sent = readRtcp(came.at(-1)?.bytes ?? Buffer.alloc(0))?.[0]
  const [seconds = 0, fraction = 0] = sent?.sender?.ntp ?? []
  const lastReport = (((seconds & 0xffff) << 16) | (fraction >>> 16)) >>> 0
  const block = { ssrc: 99, fractionLost: 0, lost: 0, highest: 9, jitter: 80, lastReport, delay: 65_536 }
  const sentAt = (seconds - 2_208_988_800) * 1000 + (fraction * 1000) / 2 ** 32
  pass(1100)
  await send(
    socket,
    writeRtcp({ ssrc: 7, sender: null, blocks: [block] }, 'phone', false),
    phone.localPort + 1,
  )
  await until(() => signs() > 0)
  assert.equal(signs(), 1)
  const { roundTripMs, sent: heardThere } = reports.figures
  assert.ok(Math.abs((roundTripMs ?? 0) - (now() - sentAt - 1000)) < 0.1, String(roundTripMs))
  assert.equal(heardThere?.jitterMs, 10)
  reports.receive(receiverReport, { address: '127.0.0.1', port: phone.port })
  assert.equal(signs(), 2)
})

test('a port for reports that another program has is done without', async (t) => {
  const phone = await RtpPhone.ring()
  t.after(() => phone.close())
  await reportsAt(t, phone.localPort + 1)
  const { leg, phone: other } = await onThePhone(t, 'PCMU', { localPort: phone.localPort })
  await other.until(({ length }) => length > 3)
  await leg.hangUp()
})

test('a phone that reports, or sends comfort noise, is not silent; one that does neither for 30 seconds is', async (t) => {
  const told: string[] = []
  const { phone, leg } = await onThePhone(t, 'PCMU', {}, (sound) => told.push(sound))
  phone.say(new Int16Array(160))
  await until(() => leg.line.heard.expected > 0)
  const pass = (frames: number) => {
    for (let frame = 0; frame < frames; frame += 1) leg.tick()
  }
  for (const bytes of [receiverReport, Buffer.from('800d00010000000000000007', 'hex')]) {
    pass(1400)
    leg.receive(bytes, { address: '127.0.0.1', port: phone.port })
  }
  pass(1300)
  assert.deepEqual(told, ['heard'])
  pass(200)
  assert.deepEqual(told, ['heard', 'silent'])
  phone.sendBytes(receiverReport)
  await until(() => told.length === 3)
  leg.updateTerms(phone.terms, true)
  pass(3000)
  leg.updateTerms(phone.terms, false)
  pass(1)
  assert.deepEqual(told, ['heard', 'silent', 'heard', 'held', 'heard'])
})
