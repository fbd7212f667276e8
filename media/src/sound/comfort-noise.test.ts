import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sine, strengthOf } from '@switchroom/audio/testing/tones'
import { type Codec, codecs } from '../rtp/codecs.ts'
import { newCoding, newEncode } from '../rtp/coders.ts'
import { ReceivedAudio } from './received-audio.ts'

const levelOf = (samples: Int16Array) =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample ** 2, 0) / samples.length)

function hearing(codec: Codec, takesPauses = false) {
  const { clockRate, sampleRate } = codecs[codec]
  const frame = sampleRate / 50
  const heard = new ReceivedAudio(newCoding(codec))
  const encode = newEncode(codec, { bitsPerSecond: 32_000, repeats: false, takesPauses })
  const put = (at: number, samples = sine(400, frame, sampleRate, at * frame)) => {
    const payload = encode(samples)
    heard.put((at * clockRate) / 50, payload)
    return payload.length
  }
  const take = (count: number) =>
    Array.from({ length: count }, () => heard.take()[0] ?? new Int16Array(frame))
  const isTone = (samples: Int16Array) => strengthOf(400, samples, sampleRate) > 0.8
  return { heard, put, take, frame, isTone }
}

test('comfort noise sounds as loud as the far end says, for as long as nothing else comes (RFC 3389)', () => {
  const { heard, put, take } = hearing('PCMU')
  for (const at of [0, 1, 2]) put(at)
  heard.putComfort(480, Uint8Array.of(50))
  take(8)
  for (const frame of take(100)) {
    const dB = 20 * Math.log10(levelOf(frame) / 32_768)
    assert.ok(dB > -53 && dB < -47, `${dB} dB`)
  }
})

test('a far end that says it is as loud as can be is not believed', () => {
  const { heard, take } = hearing('PCMU')
  heard.putComfort(0, Uint8Array.of(0))
  take(4)
  assert.ok(take(10).every((frame) => levelOf(frame) < 1200))
  heard.putComfort(1600, new Uint8Array(0))
  take(4)
  assert.ok(take(10).every((frame) => levelOf(frame) < 40))
})

test('words after a pause come at once, however long comfort noise took their place', () => {
  for (const pausedFrames of [5, 15, 200]) {
    const { heard, put, take, isTone } = hearing('G722')
    for (const at of [0, 1, 2]) put(at)
    heard.putComfort(480, Uint8Array.of(60))
    take(pausedFrames)
    for (const at of [0, 1, 2, 3]) put(3 + pausedFrames + at)
    // two that it waits for, and one with the beginning
    assert.ok(take(4).slice(2).every(isTone), `after ${pausedFrames} frames`)
  }
})

test('a lost packet delays nothing: what was made up while nothing waited is not made up again', () => {
  const { put, take, isTone } = hearing('PCMU')
  put(0)
  put(1)
  take(2)
  take(2) // two are lost
  put(4)
  put(5)
  const [first] = take(1)
  assert.ok(first && isTone(first))
})

test('Opus that pauses is a quiet line, not a loss, and words after it come at once', () => {
  const { put, take, frame } = hearing('opus', true)
  for (let at = 0; at < 10; at += 1) put(at)
  take(10)
  const quiet = Int16Array.from({ length: frame }, (_, at) => ((at * 7919) % 41) - 20)
  let at = 10
  while (put(at, quiet) > 2) {
    take(1)
    at += 1
    assert.ok(at < 100, 'the encoder never paused')
  }
  const silence = take(50)
  assert.ok(silence.slice(5).every((samples) => levelOf(samples) < 200))
  for (const more of [51, 52, 53, 54]) put(at + more)
  assert.ok(
    take(4)
      .slice(2)
      .every((samples) => levelOf(samples) > 2000),
  )
})
