import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resampled } from '@switchroom/audio/resampler'
import { likenessOf, recordedSpeech } from '@switchroom/audio/testing/recorded-speech'
import { sine } from '@switchroom/audio/testing/tones'
import { heardFrames, onThePhone } from '../../testing/rtp-call.ts'
import { newCoding } from './coders.ts'
import type { MediaTerms } from './media-terms.ts'
import type { RtpPacket } from './rtp-packet.ts'
import { readRtp } from './rtp-packet.ts'
import { RtpSender } from './rtp-sender.ts'

const comfort = 13

const terms: MediaTerms = {
  localPort: 4000,
  localAddress: '127.0.0.1',
  remoteAddress: '127.0.0.1',
  remotePort: 4002,
  signalledFrom: '127.0.0.1',
  codec: 'PCMU',
  payloadType: 0,
  tonePayloadType: 101,
  ptimeMs: 20,
}

/** What goes out in so many frames. */
function sent(sender: RtpSender, frames: number): RtpPacket[] {
  return Array.from({ length: frames }, () => sender.next()).flatMap((bytes) => {
    const packet = bytes && readRtp(bytes)
    return packet ? [packet] : []
  })
}

test('silence is sent as sound to a far end that named no comfort noise', () => {
  const packets = sent(new RtpSender(8000, terms), 200)
  assert.equal(packets.length, 200)
  assert.ok(packets.every(({ payloadType }) => payloadType === 0))
})

test('silence is comfort noise every 400 ms to a far end that named it, and sound begins again with a mark', () => {
  for (const ptimeMs of [20, 60]) {
    const sender = new RtpSender(8000, { ...terms, ptimeMs, comfortPayloadType: comfort })
    const packets = sent(sender, 210)
    const noise = packets.filter(({ payloadType }) => payloadType === comfort)
    assert.equal(noise.length, 10)
    assert.deepEqual([...(noise[0]?.payload ?? [])], [75])
    assert.equal(
      packets.findIndex(({ payloadType }) => payloadType === comfort),
      ptimeMs === 20 ? 10 : 3,
    )
    const steps = noise.slice(1).map(({ timestamp }, at) => (timestamp - (noise[at]?.timestamp ?? 0)) >>> 0)
    assert.ok(steps.every((step) => step === 20 * 160))
    void sender.playout.play(sine(400, 480))
    const [first] = sent(sender, 3)
    assert.deepEqual([first?.payloadType, first?.isMarked], [0, true])
    const last = noise.at(-1)?.timestamp ?? 0
    assert.equal(((first?.timestamp ?? 0) - last) >>> 0, (210 - 10 - 9 * 20) * 160)
  }
})

test('Opus pauses for a far end that asked for it, and not for others', () => {
  const bytes = (takesPauses: boolean) => {
    const opus = { bitsPerSecond: 32_000, repeats: false, takesPauses }
    const sender = new RtpSender(24_000, { ...terms, codec: 'opus', payloadType: 111, opus })
    return sent(sender, 100).reduce((sum, { payload }) => sum + payload.length, 0)
  }
  assert.ok(bytes(true) < bytes(false) / 2)
})

test('Opus repeats each packet in the next for a far end that asked for it, and not for others', () => {
  const speech = resampled(recordedSpeech(), 16_000, 24_000)
  const likeness = (repeats: boolean) => {
    const opus = { bitsPerSecond: 32_000, repeats, takesPauses: false }
    const sender = new RtpSender(24_000, { ...terms, codec: 'opus', payloadType: 111, opus })
    void sender.playout.play(speech)
    const packets = sent(sender, 100).map(({ payload }) => payload)
    const heard = (isLost: (at: number) => boolean) => {
      const { decode, conceal } = newCoding('opus')
      const frames = packets.map((packet, at) =>
        isLost(at) ? conceal?.(480, packets[at + 1]) : decode(packet),
      )
      return Int16Array.from(frames.flatMap((frame) => [...(frame ?? [])]))
    }
    return likenessOf(
      heard((at) => at % 5 === 4),
      heard(() => false),
    )
  }
  assert.ok(likeness(true) > likeness(false) + 4)
})

test('comfort noise of a phone is heard, and keeps the call as its words do', async (t) => {
  const { phone, leg } = await onThePhone(t, 'PCMU', { comfortPayloadType: comfort })
  for (let frame = 0; frame < 1400; frame += 1) leg.tick()
  const header = { payloadType: comfort, isMarked: false, ssrc: 7, sequence: 0, timestamp: 0 }
  phone.sendPayload(header, Uint8Array.of(40))
  const [noise] = await heardFrames(leg, 1)
  assert.ok(noise?.some((sample) => Math.abs(sample) > 100))
  for (let frame = 0; frame < 1400; frame += 1) leg.tick()
  assert.equal(await Promise.race([leg.ended, Promise.resolve('in progress')]), 'in progress')
})
