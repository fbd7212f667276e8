import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { heardFrames, joined, onThePhone } from '../../testing/rtp-call.ts'
import { sine, strengthOf } from '@switchroom/audio/testing/tones'
import { RtpPhone } from '../../testing/rtp-phone.ts'

// Measures time: what a phone hears and when, on calls of a second or two.

test('a packet from elsewhere changes nothing once the phone was heard', async (t) => {
  const { phone, leg } = await onThePhone(t)
  const thief = await RtpPhone.ring()
  t.after(() => thief.close())
  thief.localPort = phone.localPort
  for (let at = 0; at < 3; at += 1) phone.say(sine(440, 160, 8000, at * 160))
  await heardFrames(leg, 2)
  for (let at = 0; at < 10; at += 1)
    thief.say(sine(1500, 160, 8000, at * 160), { timestamp: 2000 + at * 160 })
  const before = phone.received.length
  await phone.until(({ length }) => length > before + 5)
  assert.equal(thief.received.length, 0)
  for (let at = 3; at < 8; at += 1) phone.say(sine(440, 160, 8000, at * 160))
  const frames = await heardFrames(leg, 5)
  assert.ok(strengthOf(1500, joined(frames)) < 0.05)
})

test('a stranger who sends first to an open port takes over no sound, and is not heard', async (t) => {
  const { phone, leg } = await onThePhone(t, 'PCMU', { remoteAddress: '127.0.0.9', remotePort: 9 })
  const thief = await RtpPhone.ring('PCMU', '127.0.7.7')
  t.after(() => thief.close())
  thief.localPort = phone.localPort
  for (let at = 0; at < 10; at += 1) thief.say(sine(1500, 160, 8000, at * 160))
  thief.press(5, 9000, true)
  const pressed: string[] = []
  leg.onTone((digit) => pressed.push(digit))
  for (let at = 0; at < 8; at += 1) phone.say(sine(440, 160, 8000, at * 160))
  await phone.until(({ length }) => length > 5)
  assert.ok(strengthOf(1500, joined(await heardFrames(leg, 5))) < 0.05)
  assert.deepEqual([thief.received.length, pressed], [0, []])
})

test('sound goes to where the phone really sends from, when that is another port than it signalled', async (t) => {
  const { phone } = await onThePhone(t, 'PCMU', { remotePort: 9 })
  phone.say(sine(440))
  await phone.until(({ length }) => length > 2)
})

test('a phone behind a router is learned by its first packet, until its signalled address is heard', async (t) => {
  const { phone, leg } = await onThePhone(t, 'PCMU', { remoteAddress: '127.0.0.9', remotePort: 9 })
  const [other, signalled] = [await RtpPhone.ring(), await RtpPhone.ring('PCMU', '127.0.0.9')]
  t.after(() => [other, signalled].forEach((one) => one.close()))
  for (const one of [other, signalled]) one.localPort = phone.localPort
  phone.say(sine(440))
  await phone.until(({ length }) => length > 2)
  other.say(sine(440))
  signalled.say(sine(440))
  await signalled.until(({ length }) => length > 2)
  phone.say(sine(440))
  const before = signalled.received.length
  await signalled.until(({ length }) => length > before + 3)
  assert.equal(other.received.length, 0)
  assert.equal(leg.playedMs, 0)
})

test('a phone that signals an unusable address harms nothing, and is answered when it is heard', async (t) => {
  const places = [
    { remoteAddress: '0.0.0.0' },
    { remotePort: 0 },
    { remotePort: 70_000 },
    { remoteAddress: 'phone.example' },
    { remoteAddress: '2001:db8::1' },
  ]
  for (const place of places) {
    const { phone, leg } = await onThePhone(t, 'PCMU', place)
    void leg.play(sine(600, 320))
    await leg.drained()
    phone.say(sine(440))
    await phone.until(({ length }) => length > 2)
  }
})

test('a phone on hold is sent nothing, and what waits is played afterwards', async (t) => {
  const { phone, leg } = await onThePhone(t)
  await phone.until(({ length }) => length > 1)
  leg.updateTerms(phone.terms, true)
  await sleep(20) // what was sent before is on its way
  await setImmediate() // and read
  const held = phone.received.length
  void leg.play(sine(600, 1600))
  let frames = 0
  for await (const _ of leg.heard()) {
    frames += 1
    if (frames > 10) break
  }
  assert.equal(phone.received.length, held)
  assert.equal(leg.playedMs, 0)
  leg.updateTerms(phone.terms, false)
  await leg.drained()
  assert.equal(leg.playedMs, 200)
})

test('another place that is signalled is the one that is sent to', async (t) => {
  const { phone, leg } = await onThePhone(t)
  phone.say(new Int16Array(160)) // heard, and not to be mistaken for the next
  await phone.until(({ length }) => length > 1)
  const next = await RtpPhone.ring('PCMA')
  t.after(() => next.close())
  next.localPort = phone.localPort
  leg.updateTerms(next.terms, false)
  await next.until(({ length }) => length > 2)
  assert.ok(next.received.every(({ payload }) => payload.every((byte) => byte === 0xd5)))
  for (let at = 0; at < 5; at += 1) next.say(sine(440, 160, 8000, at * 160))
  assert.ok(strengthOf(440, joined(await heardFrames(leg, 5))) > 0.95)
})

test('what is no RTP, or cut short, is not heard and harms nothing', async (t) => {
  const { phone, leg } = await onThePhone(t)
  const hostile = [
    [],
    [0x80],
    Array.from({ length: 11 }, () => 0x80),
    [0x8f, 0, ...Array.from({ length: 10 }, () => 0)], // counts more sources than it has
    [0x90, 0, ...Array.from({ length: 14 }, () => 0xff)], // an extension longer than the packet
    [0xa0, 0, ...Array.from({ length: 14 }, () => 0xff)], // padding longer than the packet
    [0x80, 200, ...Array.from({ length: 26 }, () => 0)], // RTCP
    [0x80, 96, ...Array.from({ length: 170 }, () => 0x10)], // a payload type that was not negotiated
    [0x80, 0, ...Array.from({ length: 9000 }, () => 0x10)],
  ]
  for (const bytes of hostile) phone.sendBytes(Uint8Array.from(bytes))
  for (let at = 0; at < 5; at += 1) phone.say(sine(440, 160, 8000, at * 160))
  assert.ok(strengthOf(440, joined(await heardFrames(leg, 5))) > 0.95)
})
