import assert from 'node:assert/strict'
import { test } from 'node:test'
import { heardFrames, joined, onThePhone } from '../../testing/rtp-call.ts'
import { sine, strengthOf } from '@switchroom/audio/testing/tones'
import { loudPart } from '../../testing/rtp-phone.ts'
import { MediaError } from '../plane.ts'
import { playSentence } from './play-sentence.ts'
import type { RtpPacket } from './rtp-packet.ts'

// Measures time: sound that is sent every 20 ms.

for (const codec of ['PCMU', 'PCMA'] as const)
  test(`what a phone says in ${codec} is heard, and what is played arrives on the phone`, async (t) => {
    const { phone, leg } = await onThePhone(t, codec)
    for (let at = 0; at < 10; at += 1) phone.say(sine(440, 160, 8000, at * 160))
    assert.ok(strengthOf(440, joined(await heardFrames(leg, 10))) > 0.95)
    await leg.play(sine(600, 1600))
    await leg.drained()
    await phone.until(({ length }) => length > 20)
    assert.ok(strengthOf(600, loudPart(phone.heard)) > 0.9)
    assert.equal(leg.playedMs, 200)
  })

test('frames of 20 ms come without packets, and silence goes out', async (t) => {
  const { phone, leg } = await onThePhone(t)
  const lengths = new Set<number>()
  let frames = 0
  for await (const frame of leg.heard()) {
    lengths.add(frame.length)
    assert.ok(frame.every((sample) => sample === 0))
    frames += 1
    if (frames === 5) break
  }
  assert.deepEqual([...lengths], [160])
  await phone.until(({ length }) => length >= 5)
  assert.ok(phone.received.every(({ payload }) => payload.every((byte) => byte === 0xff)))
})

test('packets that come in another order are heard in theirs, and the second of two is not heard', async (t) => {
  const { phone, leg } = await onThePhone(t)
  for (const at of [0, 2, 1, 1, 3, 5, 4, 6])
    phone.say(sine(440, 160, 8000, at * 160), { timestamp: at * 160 })
  const samples = joined(await heardFrames(leg, 7))
  const expected = sine(440, 1120)
  assert.ok(samples.every((sample, at) => Math.abs(sample - (expected[at] ?? 0)) < 400))
})

test('timestamps that wrap around are one step on', async (t) => {
  const { phone, leg } = await onThePhone(t)
  for (let at = 0; at < 6; at += 1)
    phone.say(sine(440, 160, 8000, at * 160), { timestamp: 2 ** 32 - 320 + at * 160 })
  assert.ok(strengthOf(440, joined(await heardFrames(leg, 6))) > 0.95)
})

test('a lost packet is faded over, and what follows comes in its own time', async (t) => {
  const { phone, leg } = await onThePhone(t)
  for (const at of [0, 1, 2, 4, 5]) phone.say(sine(400, 160, 8000, at * 160), { timestamp: at * 160 })
  const frames = await heardFrames(leg, 6)
  const level = (at: number) => Math.max(...(frames[at] ?? []))
  assert.ok(level(3) > 4000 && strengthOf(400, frames[3] ?? sine(0)) < 0.95)
  assert.ok(strengthOf(400, frames[4] ?? sine(0)) > 0.95)
})

test('after a pause in which a phone sends nothing it is heard again at once', async (t) => {
  const { phone, leg } = await onThePhone(t)
  for (let at = 0; at < 3; at += 1) phone.say(sine(440, 160, 8000, at * 160))
  await heardFrames(leg, 3)
  for (let at = 0; at < 4; at += 1)
    phone.say(sine(500, 160, 8000, at * 160), { timestamp: 8000 * 60 + at * 160 })
  // on a busy machine frames of the fading first tone pass before the packets are there, and one may come too late
  const frames = await heardFrames(leg, 8)
  const again = frames.filter((frame) => strengthOf(500, frame) > 0.9)
  assert.ok(again.length >= 3, `${again.length} frames of the second tone`)
})

test('packets of 10, 30 and 60 ms are heard in frames of 20', async (t) => {
  for (const samples of [80, 240, 480]) {
    const { phone, leg } = await onThePhone(t)
    for (let at = 0; at < 960; at += samples) phone.say(sine(440, samples, 8000, at))
    const frames = await heardFrames(leg, 6)
    assert.ok(frames.every(({ length }) => length === 160))
    assert.ok(strengthOf(440, joined(frames)) > 0.95, `${samples} samples a packet`)
  }
})

test('a phone that wants 40 ms a packet gets them', async (t) => {
  const { phone } = await onThePhone(t, 'PCMU', { ptimeMs: 40 })
  // A process that was not run for long leaves frames out, and the time between two packets is then longer.
  const isNext = ({ timestamp }: RtpPacket, at: number, packets: RtpPacket[]) =>
    timestamp - (packets[at - 1]?.timestamp ?? timestamp) === 320
  await phone.until((packets) => packets.some(isNext))
  assert.deepEqual(new Set(phone.received.map(({ payload }) => payload.length)), new Set([320]))
})

test('what was not played yet is dropped at once, and counts for nothing', async (t) => {
  const { phone, leg } = await onThePhone(t)
  void leg.play(sine(600, 80_000))
  await phone.until((packets) => packets.some(({ payload }) => payload.some((byte) => byte !== 0xff)))
  leg.clear()
  await leg.drained()
  const played = leg.playedMs
  assert.ok(played >= 20 && played < 1000)
  const isSilent = ({ payload }: { payload: Uint8Array }) => payload.every((byte) => byte === 0xff)
  await phone.until((packets) => packets.slice(-5).every(isSilent))
  assert.equal(leg.playedMs, played)
  await leg.play(new Int16Array(50))
  await leg.drained()
  assert.equal(leg.playedMs, played + 50 / 8)
})

test('playing waits while enough is waiting', async (t) => {
  const { leg } = await onThePhone(t)
  await leg.play(sine(600, 1600))
  let isTaken = false
  const waiting = leg.play(sine(600, 4800)).then(() => (isTaken = true))
  await new Promise(setImmediate)
  assert.equal(isTaken, false)
  await waiting
  assert.ok(leg.playedMs >= 380)
})

test('a process that was busy for a while catches up, and continues in time', async (t) => {
  const { phone, leg } = await onThePhone(t)
  await leg.play(sine(600, 3200))
  await phone.until(({ length }) => length > 3)
  const until = performance.now() + 60
  while (performance.now() < until);
  await leg.drained()
  await phone.until(({ length }) => length > 20)
  // A mark says that time was left out, by a machine that did not run this process for longer than that.
  const steps = phone.received.slice(1).flatMap(({ timestamp, isMarked }, at) => {
    return isMarked ? [] : [(timestamp - (phone.received[at]?.timestamp ?? 0)) >>> 0]
  })
  assert.deepEqual(new Set(steps), new Set([160]))
})

test('a process that was busy for long leaves out the time it missed, not the sound', async (t) => {
  const { phone, leg } = await onThePhone(t)
  const sentence = sine(600, 4800)
  void leg.play(sentence)
  await phone.until(({ length }) => length > 3)
  const until = performance.now() + 400
  while (performance.now() < until);
  await leg.drained()
  assert.equal(leg.playedMs, 600)
  await phone.until(({ length }) => length > 32)
  const jump = phone.received.findIndex(({ isMarked }, at) => at > 0 && isMarked)
  const [before, after] = [phone.received[jump - 1], phone.received[jump]]
  assert.ok(((after?.timestamp ?? 0) - (before?.timestamp ?? 0)) >>> 0 >= 160 * 10)
  assert.ok(strengthOf(600, loudPart(phone.heard)) > 0.9)
})

test('sound that came while the process was busy is heard whole', async (t) => {
  const { phone, leg } = await onThePhone(t)
  for (let at = 0; at < 5; at += 1) phone.say(sine(440, 160, 8000, at * 160))
  await heardFrames(leg, 2)
  for (let at = 5; at < 40; at += 1) phone.say(sine(440, 160, 8000, at * 160))
  const until = performance.now() + 700
  while (performance.now() < until);
  const whole = (await heardFrames(leg, 80)).filter((frame) => strengthOf(440, frame) > 0.95)
  assert.equal(whole.length, 38)
})

test('a key pressed on the phone is reported once, however many packets carry it (RFC 4733)', async (t) => {
  const { phone, leg } = await onThePhone(t)
  const digits: string[] = []
  const all = Promise.withResolvers<void>()
  leg.onTone((digit) => {
    digits.push(digit)
    if (digits.length === 4) all.resolve()
  })
  for (const isEnd of [false, false, true, true, true]) phone.press(5, 1000, isEnd)
  for (const isEnd of [false, true, true]) phone.press(5, 3000, isEnd)
  phone.press(5, 1000, true) // late
  phone.press(16, 5000) // a hook flash is no key
  phone.press(11, 6000, true) // its first packets were lost
  for (const timestamp of [9000, 9160, 9320]) phone.press(13, timestamp) // as some count them
  await all.promise
  assert.deepEqual(digits, ['5', '5', '#', 'B'])
})

test('keys are pressed down the line as telephone events, each ended three times', async (t) => {
  const { phone, leg } = await onThePhone(t)
  await leg.sendTones('7#')
  const events = phone.received.filter(({ payloadType }) => payloadType === 101)
  assert.deepEqual(new Set(events.map(({ payload }) => payload[0])), new Set([7, 11]))
  const seven = events.filter(({ payload }) => payload[0] === 7)
  assert.equal(new Set(seven.map(({ timestamp }) => timestamp)).size, 1)
  assert.deepEqual(
    seven.map(({ payload }) => [(payload[1] ?? 0) >> 7, 256 * (payload[2] ?? 0) + (payload[3] ?? 0)]),
    [...[160, 320, 480, 640, 800].map((duration) => [0, duration]), [1, 800], [1, 800], [1, 800]],
  )
  assert.deepEqual(
    seven.map(({ isMarked }) => isMarked),
    [true, ...Array.from({ length: 7 }, () => false)],
  )
  await assert.rejects(
    leg.sendTones('1x'),
    new MediaError('"X" is on no keypad: the keys are 0123456789*#ABCD'),
  )
})

test('keys are pressed audibly if the phone knows no telephone events', async (t) => {
  const { phone, leg } = await onThePhone(t, 'PCMU', { tonePayloadType: null })
  await leg.sendTones('1')
  const sound = loudPart(phone.heard)
  assert.ok(strengthOf(697, sound) > 0.5 && strengthOf(1209, sound) > 0.5)
})

test('a leg ends with its signalling: its audio ends, and pending playback resolves', async (t) => {
  const { leg, bye, asked } = await onThePhone(t)
  const playing = leg.play(sine(600, 80_000))
  const pressing = leg.sendTones('123')
  bye()
  assert.equal(await leg.ended, 'hangup')
  await Promise.all([playing, pressing, leg.drained(), leg.play(sine(600))])
  for await (const frame of leg.heard()) assert.equal(frame.length, 160)
  await leg.hangUp()
  assert.deepEqual(asked, [])
})

test('a leg is hung up and sent on by its signalling, and its port is free again', async (t) => {
  const { phone, leg, asked } = await onThePhone(t)
  await leg.transfer('+14155550100')
  await Promise.all([leg.hangUp(), leg.hangUp()])
  assert.deepEqual(asked, ['REFER +14155550100', 'BYE'])
  assert.equal(await leg.ended, 'hangup')
  await playSentence(phone.terms, sine(600, 1600))
  await phone.until(() => loudPart(phone.heard).length >= 1500)
  assert.ok(strengthOf(600, loudPart(phone.heard)) > 0.9)
})

test('a phone that is silent for 30 seconds is lost, and hung up on', async (t) => {
  const { leg, asked } = await onThePhone(t)
  leg.missed(100)
  for (let frame = 0; frame < 1500; frame += 1) leg.tick()
  assert.equal(await leg.ended, 'lost')
  assert.deepEqual(asked, ['BYE'])
})

test('a port that is taken is reported in a sentence', async (t) => {
  const { phone } = await onThePhone(t)
  await assert.rejects(
    playSentence(phone.terms, sine(600)),
    new MediaError(`the port ${phone.localPort} for sound could not be opened: EADDRINUSE`),
  )
})
