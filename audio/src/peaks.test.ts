import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Peaks } from './peaks.ts'

test('peaks are the loudest sample of each stretch, for each channel by itself', () => {
  const peaks = new Peaks(2)
  const stereo = new Int16Array(2 * 128 * 3)
  stereo[2 * 5] = -32_768 // left, first stretch
  stereo[2 * 200 + 1] = 16_384 // right, second stretch
  stereo[2 * 300] = 1 // left, third stretch
  peaks.take(stereo)
  assert.deepEqual([...peaks.bytes], [255, 0, 0, 128, 1, 0])
})

test('a sound of any length has 400 to 800 peaks, which say the same however it came', () => {
  for (const samples of [128 * 800, 128 * 801, 333_333]) {
    const sound = Int16Array.from({ length: samples }, (_, at) => Math.round((at / samples) * 32_767))
    const [whole, pieces] = [new Peaks(1), new Peaks(1)]
    whole.take(sound)
    for (let at = 0; at < samples; at += 777) pieces.take(sound.subarray(at, at + 777))
    assert.deepEqual(whole.bytes, pieces.bytes)
    assert.ok(whole.bytes.length >= 400 && whole.bytes.length <= 800, String(whole.bytes.length))
    assert.deepEqual(whole.bytes, whole.bytes.toSorted(), 'it grows louder throughout')
    assert.equal(whole.bytes.at(-1), 255)
  }
})

test('nothing has no peaks', () => {
  assert.deepEqual([...new Peaks(2).bytes], [])
})
