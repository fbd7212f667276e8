import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeG711 } from '@switchroom/audio/g711'
import { sine } from '@switchroom/audio/testing/tones'
import { RtpPhone, tonePayloadType } from '../../testing/rtp-phone.ts'
import { until } from '../../testing/sip-peer.ts'
import { callCertificate } from '../srtp/certificate.ts'
import type { MediaSecurity } from '../srtp/media-security.ts'
import { type MasterKey, SrtpReceiver, SrtpSender } from '../srtp/srtp-contexts.ts'
import { RtpLeg } from './rtp-leg.ts'
import { newRtp, payloadIn } from './rtp-packet.ts'

const tone = sine(440)
const newKey = (): MasterKey => ({
  profile: 'AES_CM_128_HMAC_SHA1_80',
  key: randomBytes(30).toString('base64'),
})
const keys = () => ({ ours: newKey(), theirs: newKey() })
const sdes = ({ ours, theirs }: ReturnType<typeof keys>): MediaSecurity => ({
  kind: 'sdes',
  send: ours,
  receive: theirs,
})

/** A leg, what its phone got of it as bytes, and what of it sounded. */
async function onASecurePhone(t: TestContext, security: MediaSecurity) {
  const phone = await RtpPhone.ring()
  const leg = await RtpLeg.open(
    { ...phone.terms, security },
    { hangUp: async () => {}, transfer: async () => {}, ended: new Promise(() => {}) },
  )
  let loud = 0
  const digits: string[] = []
  leg.onTone((digit) => digits.push(digit))
  const heard = (async () => {
    for await (const frame of leg.heard()) if (frame.some((sample) => Math.abs(sample) > 500)) loud += 1
  })()
  t.after(async () => {
    await leg.hangUp()
    await heard
    phone.close()
  })
  return { phone, leg, digits, loud: () => loud }
}

let sequence = 100
const packet = () => {
  sequence += 1
  const header = { payloadType: 0, isMarked: false, sequence, timestamp: sequence * 160, ssrc: 7 }
  const bytes = newRtp(header, tone.length)
  encodeG711('PCMU', tone, payloadIn(bytes))
  return bytes
}

const sealed = (srtp: SrtpSender, bytes: Buffer) => {
  const made = srtp.seal(bytes)
  assert.ok(made)
  return made
}

async function sayUntil(say: () => void, isSo: () => boolean): Promise<void> {
  const speaking = setInterval(say, 20)
  await until(isSo).finally(() => clearInterval(speaking))
}

test('every packet that leaves a leg with keys is encrypted, and none in the clear is heard by it', async (t) => {
  const both = keys()
  const { phone, leg, loud } = await onASecurePhone(t, sdes(both))
  const receiver = new SrtpReceiver(both.ours)
  const raw: Buffer[] = []
  phone.onBytes((bytes) => raw.push(bytes))
  await leg.play(tone)
  await leg.sendTones('5')
  await until(() => raw.length > 20)
  for (const bytes of raw) assert.ok(receiver.open(bytes), 'a packet that the key does not open')
  for (let said = 0; said < 30; said++) {
    phone.sendBytes(packet())
    await sleep(10)
  }
  assert.equal(loud(), 0)
  const theirs = new SrtpSender(both.theirs)
  await sayUntil(
    () => phone.sendBytes(sealed(theirs, packet())),
    () => loud() > 3,
  )
})

test('packets under a wrong key are silence, not noise', async (t) => {
  const both = keys()
  const { phone, loud } = await onASecurePhone(t, sdes(both))
  const [wrong, right] = [new SrtpSender(newKey()), new SrtpSender(both.theirs)]
  for (let said = 0; said < 40; said++) {
    phone.sendBytes(sealed(wrong, packet()))
    await sleep(10)
  }
  assert.equal(loud(), 0)
  await sayUntil(
    () => phone.sendBytes(sealed(right, packet())),
    () => loud() > 3,
  )
})

test('a packet that is sent again is not heard again: a key stays pressed once', async (t) => {
  const both = keys()
  const { phone, digits } = await onASecurePhone(t, sdes(both))
  const srtp = new SrtpSender(both.theirs)
  const press = (event: number, timestamp: number) => {
    sequence += 1
    const header = { payloadType: tonePayloadType, isMarked: false, sequence, timestamp, ssrc: 7 }
    const bytes = newRtp(header, 4)
    payloadIn(bytes).set([event, 0x8a, 0, 160])
    const made = sealed(srtp, bytes)
    phone.sendBytes(made)
    return made
  }
  const first = press(5, 160_000)
  // far enough for the first to count as a new one by its time
  press(6, 960_000)
  await until(() => digits.length === 2)
  phone.sendBytes(first)
  press(7, 1_760_000)
  await until(() => digits.includes('7'))
  assert.deepEqual(digits, ['5', '6', '7'])
})

test('a new key is taken within a call, and what was sent before the far end knew of it is heard', async (t) => {
  const [before, after] = [keys(), keys()]
  const { phone, leg, loud } = await onASecurePhone(t, sdes(before))
  const [old, fresh] = [new SrtpSender(before.theirs), new SrtpSender(after.theirs)]
  leg.updateTerms({ ...phone.terms, security: sdes(after) }, false)
  await sayUntil(
    () => phone.sendBytes(sealed(old, packet())),
    () => loud() > 3,
  )
  const soFar = loud()
  await sayUntil(
    () => phone.sendBytes(sealed(fresh, packet())),
    () => loud() > soFar + 10,
  )
  const raw: Buffer[] = []
  phone.onBytes((bytes) => raw.push(bytes))
  await until(() => raw.length > 3)
  const receiver = new SrtpReceiver(after.ours)
  for (const bytes of raw) assert.ok(receiver.open(bytes))
})

test('nothing but the handshake leaves before it is over, and before an offer of ours is answered nothing at all', async (t) => {
  const value = 'AB'.repeat(32)
  const choices: MediaSecurity[] = [
    { kind: 'awaited' },
    {
      kind: 'dtls',
      role: 'client',
      fingerprints: [{ algorithm: 'sha-256', value }],
      certificate: callCertificate(),
    },
  ]
  for (const security of choices) {
    const { phone, leg, loud } = await onASecurePhone(t, security)
    const raw: Buffer[] = []
    phone.onBytes((bytes) => raw.push(bytes))
    void leg.play(tone)
    if (security.kind === 'dtls') await until(() => raw.length > 0)
    for (let said = 0; said < 20; said++) {
      phone.sendBytes(packet())
      await sleep(10)
    }
    assert.ok(raw.every((bytes) => bytes[0] === 22))
    assert.equal(loud(), 0)
    assert.equal(leg.playedMs, 0)
  }
})
