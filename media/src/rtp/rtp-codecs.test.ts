import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { sine, strengthOf } from '@switchroom/audio/testing/tones'
import { heardFrames, joined, onThePhone, untilTone } from '../../testing/rtp-call.ts'
import { loudPart, RtpPhone } from '../../testing/rtp-phone.ts'
import { type Codec, codecs } from './codecs.ts'
import { newCoding, newEncode } from './coders.ts'
import { playSentence } from './play-sentence.ts'

// Measures time: sound that is sent every 20 ms.

for (const [codec, hz] of [
  ['G722', 6000],
  ['opus', 7000],
] as const)
  test(`sound above what a telephone carries is heard and played in ${codec}`, async (t) => {
    const { phone, leg } = await onThePhone(t, codec)
    const { sampleRate } = codecs[codec]
    const frame = sampleRate / 50
    assert.equal(leg.sampleRate, sampleRate)
    for (let at = 0; at < 12; at += 1) phone.say(sine(hz, frame, sampleRate, at * frame))
    const heard = joined(await heardFrames(leg, 10))
    assert.ok(strengthOf(hz, heard.subarray(2 * frame), sampleRate) > 0.7)
    await leg.play(sine(hz, sampleRate / 5, sampleRate))
    await leg.drained()
    const isLoud = () => loudPart(phone.heard).length > sampleRate / 10
    await phone.until(({ length }) => length > 20 && isLoud())
    const loud = loudPart(phone.heard)
    assert.ok(strengthOf(hz, loud.subarray(frame, 5 * frame), sampleRate) > 0.7)
    assert.equal(leg.playedMs, 200)
  })

test('a phone that changes its codec in a call is heard and hears on, at the same sample rate', async (t) => {
  const { phone, leg } = await onThePhone(t)
  phone.say(sine(440))
  for (const codec of ['G722', 'opus', 'PCMA', 'PCMU'] as const) {
    const other = await RtpPhone.ring(codec)
    t.after(() => other.close())
    other.localPort = phone.localPort
    leg.updateTerms({ ...other.terms, localPort: phone.localPort }, false)
    const { sampleRate } = codecs[codec]
    const frame = sampleRate / 50
    for (let at = 0; at < 14; at += 1) other.say(sine(900, frame, sampleRate, at * frame))
    await untilTone(leg, 900)
    await leg.play(sine(600, 2400))
    await leg.drained()
    const isWhole = () => strengthOf(600, loudPart(other.heard), sampleRate) > 0.7
    await other.until((packets) => packets.length > 10 && isWhole())
  }
  assert.equal(leg.sampleRate, 8000)
})

test('a phone that named more than one codec is heard in each, and is sent the first', async (t) => {
  const others = [{ codec: 'G722' as const, payloadType: 9 }]
  const { phone, leg } = await onThePhone(t, 'PCMU', { others })
  const encode = newEncode('G722')
  const said = (at: number) => ({
    payloadType: 9,
    isMarked: false,
    ssrc: 7,
    sequence: at,
    timestamp: at * 160,
  })
  for (let at = 0; at < 20; at += 1) phone.sendPayload(said(at), encode(sine(900, 320, 16_000, at * 320)))
  await untilTone(leg, 900)
  for (let at = 0; at < 20; at += 1)
    phone.say(sine(600, 160, 8000, at * 160), at === 0 ? { timestamp: 3200, sequence: 20 } : {})
  await untilTone(leg, 600)
  assert.deepEqual(new Set(phone.received.map(({ payloadType }) => payloadType)), new Set([0]))
})

test('a leg that was bound before its codec was known takes the one that is answered with', async (t) => {
  const { phone, leg } = await onThePhone(t)
  leg.wait()
  const wide = await RtpPhone.ring('G722')
  t.after(() => wide.close())
  wide.localPort = phone.localPort
  leg.begin({ ...wide.terms, localPort: phone.localPort })
  assert.equal(leg.sampleRate, 16_000)
  for (let at = 0; at < 12; at += 1) wide.say(sine(6000, 320, 16_000, at * 320))
  const heard = joined(await heardFrames(leg, 8))
  assert.ok(strengthOf(6000, heard.subarray(640), 16_000) > 0.7)
  await leg.play(sine(6000, 3200, 16_000))
  await wide.until(() => strengthOf(6000, loudPart(wide.heard), 16_000) > 0.7)
})

test('a sentence for a lost caller is heard in a wide codec too', async (t) => {
  const { phone, leg } = await onThePhone(t, 'G722')
  await leg.hangUp()
  await playSentence(phone.terms, sine(600, 1600))
  await phone.until(() => loudPart(phone.heard).length >= 3000)
  assert.ok(strengthOf(600, loudPart(phone.heard), 16_000) > 0.9)
})

test('keys are pressed and reported by the clock of Opus', async (t) => {
  const { phone, leg } = await onThePhone(t, 'opus', { toneClockRate: 48_000 })
  await leg.sendTones('7')
  await phone.until((packets) =>
    packets.some(({ payload, payloadType }) => payloadType === 101 && payload[1] === 0x8a),
  )
  const durations = phone.received
    .filter(({ payloadType }) => payloadType === 101)
    .map(({ payload }) => 256 * (payload[2] ?? 0) + (payload[3] ?? 0))
  assert.deepEqual(durations, [960, 1920, 2880, 3840, 4800, 4800, 4800, 4800])
  const digits: string[] = []
  leg.onTone((digit) => digits.push(digit))
  // within 60 ms by this clock, which were 17 ms by the usual one
  for (const timestamp of [96_000, 96_960, 97_920]) phone.press(3, timestamp)
  phone.press(4, 120_000, true)
  phone.say(sine(440, 480, 24_000))
  await heardFrames(leg, 1)
  assert.deepEqual(digits, ['3', '4'])
})

for (const codec of Object.keys(codecs) as Codec[])
  test(`whatever comes as ${codec} harms nothing, and speech after it is heard`, async (t) => {
    const { phone, leg } = await onThePhone(t, codec)
    const { sampleRate, payloadType } = codecs[codec]
    const frame = sampleRate / 50
    const header = { payloadType, isMarked: false, ssrc: 7 }
    for (let at = 0; at < 400; at += 1) {
      const timestamp = at % 5 === 0 ? randomBytes(4).readUInt32BE() : at * 160
      phone.sendPayload({ ...header, sequence: at, timestamp }, randomBytes((at * 7) % 1500))
      if (at % 40 === 0) await new Promise(setImmediate)
    }
    const said = { ssrc: 8, timestamp: 1000 }
    for (let at = 0; at < 20; at += 1)
      phone.say(sine(440, frame, sampleRate, at * frame), at === 0 ? said : { ssrc: 8 })
    await untilTone(leg, 440)
  })

test('every decoder takes random bytes', () => {
  for (const codec of Object.keys(codecs) as Codec[]) {
    const { decode, conceal } = newCoding(codec)
    for (let at = 0; at < 500; at += 1) {
      const bytes = randomBytes((at * 13) % 1600)
      const length = decode(bytes)?.length ?? 0
      assert.ok(length <= 2 * 1600, `${length} samples of ${codec}`)
      conceal?.(480, bytes)
    }
  }
})
