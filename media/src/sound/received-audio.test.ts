import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sine, strengthOf } from '@switchroom/audio/testing/tones'
import { resampled } from '@switchroom/audio/resampler'
import { likenessOf, recordedSpeech } from '@switchroom/audio/testing/recorded-speech'
import { newCoding, newEncode } from '../rtp/coders.ts'
import { decodeG711, encodeG711 } from '@switchroom/audio/g711'
import { ReceivedAudio } from './received-audio.ts'

const frame = 160

function hearing() {
  const heard = new ReceivedAudio({
    clockRate: 8000,
    sampleRate: 8000,
    decode: (payload) => decodeG711('PCMU', payload),
  })
  const put = (at: number, samples = sine(400, frame, 8000, at * frame)) => {
    const payload = new Uint8Array(samples.length)
    encodeG711('PCMU', samples, payload)
    heard.put((at * frame) >>> 0, payload)
  }
  return { heard, put }
}

const isSilent = (samples: Int16Array) => samples.every((sample) => Math.abs(sample) < 10)

test('a lost frame is the one before it, fading, and after three there is silence', () => {
  const { heard, put } = hearing()
  put(0)
  put(1)
  heard.take()
  heard.take()
  const levels = Array.from({ length: 5 }, () => Math.max(...heard.take().flatMap((samples) => [...samples])))
  const [first = 0, second = 0, third = 0, fourth = 0] = levels
  assert.ok(first > 6000 && second > 3000 && second < first && third < second && fourth === 0, levels.join())
})

test('a packet that comes late is heard late, not thrown away', () => {
  const { heard, put } = hearing()
  put(0)
  put(1)
  heard.take()
  heard.take()
  heard.take() // number 2 has not come
  put(2)
  put(3)
  const [next] = heard.take()
  assert.ok(next && strengthOf(400, next) > 0.95)
})

test('sound that waits longer than it must is brought forward in a quiet moment', () => {
  const { heard, put } = hearing()
  let at = 0
  for (; at < 6; at += 1) put(at, new Int16Array(frame))
  // Six packets ahead for as long as it looks back: 80 ms that are not needed.
  let taken = 0
  for (let ticks = 0; ticks < 700; ticks += 1) {
    put(at, new Int16Array(frame))
    at += 1
    taken += heard.take().length
  }
  assert.equal(taken, 700)
  put(at, sine(400))
  put(at + 1, new Int16Array(frame))
  let delay = 0
  while (heard.take().every(isSilent)) delay += 1
  assert.ok(delay <= 3, `${delay} frames late`)
})

test('frames that were due while none was read are given at once afterwards, none lost', () => {
  const { heard, put } = hearing()
  for (let at = 0; at < 30; at += 1) put(at)
  heard.take()
  heard.missed(20)
  let frames = 1
  for (let ticks = 0; ticks < 25; ticks += 1)
    frames += heard.take().filter((one) => strengthOf(400, one) > 0.95).length
  assert.equal(frames, 30)
})

test('a source that counts anew is heard after a few packets', () => {
  const { heard, put } = hearing()
  for (let at = 100_000; at < 100_005; at += 1) put(at)
  for (let ticks = 0; ticks < 5; ticks += 1) heard.take()
  for (let at = 0; at < 12; at += 1) put(at)
  const [next] = heard.take()
  assert.ok(next && strengthOf(400, next) > 0.9)
})

test('what Opus repeats of a lost packet in the next one is heard in its place', () => {
  const speech = resampled(recordedSpeech(), 16_000, 24_000)
  const encode = newEncode('opus', { bitsPerSecond: 32_000, repeats: true, takesPauses: false })
  const packets = Array.from({ length: 120 }, (_, at) => encode(speech.subarray(at * 480, (at + 1) * 480)))
  const heard = (isLost: (at: number) => boolean) => {
    const received = new ReceivedAudio(newCoding('opus'))
    const frames = packets.flatMap((packet, at) => {
      if (!isLost(at)) received.put(at * 960, packet)
      return received.take()
    })
    return Int16Array.from(frames.flatMap((samples) => [...samples]))
  }
  const likeness = likenessOf(
    heard((at) => at % 7 === 3),
    heard(() => false),
  )
  assert.ok(likeness > 12, `${likeness} dB`)
})

test('a flood of packets is not kept', () => {
  const { heard, put } = hearing()
  const samples = sine(400)
  for (let at = 0; at < 10_000; at += 1) put(at, samples)
  let frames = 0
  while (frames < 1000 && !heard.take().every(isSilent)) frames += 1
  assert.ok(frames <= 110, `${frames}`)
})
