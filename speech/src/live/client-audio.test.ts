import assert from 'node:assert/strict'
import test from 'node:test'
import { decodeG711 } from '@switchroom/audio/g711'
import { spokenPcm } from '@switchroom/kit/testing/recordings'
import { ClientAudio } from './client-audio.ts'
import { ClientFrames } from './client-frames.ts'
import type { LiveArguments } from './live-arguments.ts'

const unwatched = { onFull: () => {}, onTaken: () => {} }
const linear16: Pick<LiveArguments, 'encoding' | 'sampleRate'> = { encoding: 'linear16', sampleRate: 16_000 }

async function allOf(audio: ClientAudio): Promise<Buffer> {
  audio.end()
  const pieces = await Array.fromAsync(audio)
  return Buffer.concat(pieces.filter((piece) => piece !== 'finalize'))
}

test('a sample that is split between frames is joined again (SD-77)', async () => {
  const pcm = spokenPcm()
  for (const frameBytes of [1, 3, 7, 1_001]) {
    const audio = new ClientAudio(linear16, unwatched)
    for (let at = 0; at < pcm.length; at += frameBytes) audio.take(pcm.subarray(at, at + frameBytes))
    assert.equal(audio.seconds, pcm.length / 32_000)
    assert.ok((await allOf(audio)).equals(pcm))
  }
})

test('a half sample at the end is dropped, and still counted as sent (SD-77)', async () => {
  const audio = new ClientAudio(linear16, unwatched)
  audio.take(Buffer.alloc(33))
  assert.equal(audio.seconds, 33 / 32_000)
  assert.equal((await allOf(audio)).length, 32)
})

test('the ears are given 16000 samples a second at most, and what they are given is the same sound (S-459)', async () => {
  for (const sampleRate of [8_000, 16_000, 24_000, 48_000] as const) {
    const audio = new ClientAudio({ encoding: 'linear16', sampleRate }, unwatched)
    assert.equal(audio.sampleRate, Math.min(sampleRate, 16_000))
    const frames = tone(440, sampleRate, 1)
    for (let at = 0; at < frames.length; at += 999) audio.take(frames.subarray(at, at + 999))
    assert.equal(audio.seconds, 1)
    const given = await allOf(audio)
    assert.ok(Math.abs(given.length / 2 - audio.sampleRate) <= 1, `${given.length}`)
    const wanted = tone(440, audio.sampleRate, 1)
    for (let at = 2_000; at < given.length - 2_000; at += 2)
      assert.ok(Math.abs(given.readInt16LE(at) - wanted.readInt16LE(at)) < 150)
  }
})

test('mu-law is one byte a sample, and differs from silence (SD-77)', async () => {
  const audio = new ClientAudio({ encoding: 'mulaw', sampleRate: 8_000 }, unwatched)
  audio.take(Buffer.alloc(8_000, 0xff))
  assert.equal(audio.seconds, 1)
  assert.ok((await allOf(audio)).equals(Buffer.alloc(16_000)))
  const values = [...decodeG711('PCMU', Buffer.of(0x00, 0x80, 0x7f, 0xff, 0x2a, 0xaa))]
  assert.deepEqual(values, [-32_124, 32_124, 0, 0, -5_372, 5_372]) // of G.711's own table
})

test('audio that is not taken pauses the client, which is read again when half of it is gone', async () => {
  const told: boolean[] = []
  const audio = new ClientAudio(linear16, { onFull: (isFull) => told.push(isFull), onTaken: () => {} })
  for (let at = 0; at < 300; at += 1) audio.take(Buffer.alloc(1_000))
  assert.deepEqual(told, [true])
  const taking = audio[Symbol.asyncIterator]()
  for (let taken = 0; taken < 130_000; taken += 1_000) await taking.next()
  assert.deepEqual(told, [true])
  for (let taken = 0; taken < 60_000; taken += 1_000) await taking.next()
  assert.deepEqual(told, [true, false])
})

test('a wish to commit stays where it was between the audio (S-354)', async () => {
  const audio = new ClientAudio(linear16, unwatched)
  audio.take(Buffer.alloc(10))
  audio.finalize()
  audio.take(Buffer.alloc(20))
  audio.end()
  audio.take(Buffer.alloc(30))
  audio.finalize()
  const pieces = await Array.fromAsync(audio)
  assert.deepEqual(
    pieces.map((piece) => (piece === 'finalize' ? piece : piece.length)),
    [10, 'finalize', 20],
  )
})

test('a large frame becomes small pieces', async () => {
  const audio = new ClientAudio(linear16, unwatched)
  audio.take(Buffer.alloc(100_000))
  audio.end()
  for (const piece of await Array.fromAsync(audio)) assert.ok(piece.length <= 3_200)
})

test('text frames are two, as JSON, and at most 100 in ten seconds (SD-76)', () => {
  const frames = new ClientFrames()
  assert.equal(frames.read('{"type": "finalize"}'), 'finalize')
  assert.equal(frames.read('{"type": "stop", "more": 1}'), 'stop')
  for (const text of [
    '',
    'stop',
    '[]',
    'null',
    '"stop"',
    '{}',
    '{"type": "Stop"}',
    '{"type": ["stop"]}',
    '{"type":',
  ])
    assert.throws(() => frames.read(text), {
      code: 'BAD_REQUEST',
      message: 'a text frame is {"type": "finalize"} or {"type": "stop"}',
    })
  for (let count = 11; count < 100; count += 1) frames.read('{"type": "finalize"}')
  assert.throws(() => frames.read('{"type": "finalize"}'), {
    code: 'RATE_LIMITED',
    message: 'more than 100 text frames came within 10 seconds',
  })
})

function tone(hertz: number, rate: number, seconds: number): Buffer {
  const pcm = Buffer.alloc(2 * rate * seconds)
  for (let at = 0; at < rate * seconds; at += 1)
    pcm.writeInt16LE(Math.round(10_000 * Math.sin((2 * Math.PI * hertz * at) / rate)), 2 * at)
  return pcm
}
