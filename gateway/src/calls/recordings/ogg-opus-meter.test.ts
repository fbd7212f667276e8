import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OggOpusWriter } from '@switchroom/audio/ogg-opus'
import { assert as holds, integer, nat, property } from 'fast-check'
import { OggOpusMeter } from './ogg-opus-meter.ts'

function opusOf(ms: number): Buffer {
  const writer = new OggOpusWriter(8000, 7)
  const sound = Int16Array.from({ length: 2 * 8 * ms }, (_, at) => 8000 * Math.sin(at / 9))
  return Buffer.concat([writer.head(), writer.encode(sound), writer.end()])
}
function measured(file: Uint8Array, pieces = 1000) {
  const meter = new OggOpusMeter()
  for (let at = 0; at < file.length; at += pieces) meter.take(file.subarray(at, at + pieces))
  return meter
}

test('an Ogg Opus file plays as long as what was recorded, however it arrives', () => {
  for (const ms of [0, 1, 20, 999, 5003]) {
    const file = opusOf(ms)
    for (const pieces of [1, 26, 1000, file.length]) assert.equal(measured(file, pieces).durationMs, ms)
  }
})

test('what is something else, or breaks off, is no Ogg Opus file', () => {
  const file = opusOf(300)
  assert.equal(measured(file.subarray(0, -1)).durationMs, undefined)
  assert.equal(measured(file.subarray(0, 20)).durationMs, undefined)
  assert.equal(measured(Buffer.alloc(0)).durationMs, undefined)
  const vorbis = Buffer.from(file)
  vorbis.write('\x01vorbis!', 28, 'latin1')
  for (const other of [Buffer.from('RIFF'.repeat(30)), vorbis]) {
    assert.ok(measured(other).isOther)
    assert.equal(measured(other).durationMs, undefined)
  }
})

test('no bytes make it fail or keep more than a header', () => {
  const file = opusOf(100)
  holds(
    property(nat(file.length - 1), nat(255), integer({ min: 1, max: 300 }), (at, byte, pieces) => {
      const broken = Buffer.from(file)
      broken[at] = byte
      const { durationMs } = measured(broken, pieces)
      assert.ok(durationMs === undefined || durationMs >= 0)
    }),
    { numRuns: 200 },
  )
})
