import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { test } from 'node:test'
import { RtpPhone } from '../../testing/rtp-phone.ts'
import { until } from '../../testing/sip-peer.ts'
import { type MasterKey, SrtpReceiver, SrtpSender } from '../srtp/srtp-contexts.ts'
import { readRtcp, writeRtcp } from './rtcp-packet.ts'
import { RtpLeg } from './rtp-leg.ts'

const newKey = (): MasterKey => ({
  profile: 'AES_CM_128_HMAC_SHA1_80',
  key: randomBytes(30).toString('base64'),
})

test('the reports of an encrypted call are encrypted, and none in the clear is believed', async (t) => {
  const [ours, theirs] = [newKey(), newKey()]
  const phone = await RtpPhone.ring()
  const socket = createSocket('udp4')
  const came: Buffer[] = []
  socket.on('message', (bytes) => came.push(bytes))
  await new Promise<void>((resolve) => socket.bind(phone.port + 1, '127.0.0.1', resolve))
  const leg = await RtpLeg.open(
    { ...phone.terms, security: { kind: 'sdes', send: ours, receive: theirs } },
    { hangUp: async () => {}, transfer: async () => {}, ended: new Promise(() => {}) },
  )
  t.after(async () => {
    await leg.hangUp()
    phone.close()
    socket.close()
  })
  await until(() => came.length > 0)
  const [first = Buffer.alloc(0)] = came
  assert.equal(readRtcp(first), undefined)
  const opened = new SrtpReceiver(ours).open(first)
  const ssrc = (opened && readRtcp(opened)?.[0]?.ssrc) ?? 0
  assert.notEqual(ssrc, 0)

  const report = (lost: number) => {
    const block = { ssrc, fractionLost: 0, lost, highest: 9, jitter: 0, lastReport: 0, delay: 0 }
    return writeRtcp({ ssrc: 7, sender: null, blocks: [block] }, 'phone', false)
  }
  socket.send(report(9), phone.localPort + 1, '127.0.0.1')
  const sealed = new SrtpSender(theirs).seal(report(3))
  assert.ok(sealed)
  socket.send(sealed, phone.localPort + 1, '127.0.0.1')
  await until(() => leg.line.sent !== null)
  assert.equal(leg.line.sent?.lost, 3)
})
