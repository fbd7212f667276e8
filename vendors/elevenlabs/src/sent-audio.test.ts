import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SentAudio } from './sent-audio.ts'

test('silence of our own is no time of the caller', () => {
  const sent = new SentAudio(16_000)
  sent.heard(new Uint8Array(32_000))
  assert.equal(sent.silence(300).length, 9_600)
  sent.heard(new Uint8Array(32_000))
  sent.silence(100)
  assert.deepEqual(
    [0, 0.9, 1, 1.2, 1.3, 2.3, 2.4].map((time) => sent.timeOf(time)),
    [0, 0.9, 1, 1, 1, 2, 2],
  )
})

test('silence is of whole samples at any rate', () => {
  for (const rate of [8_000, 22_050, 44_100, 48_000])
    assert.equal(new SentAudio(rate).silence(100).length, (rate / 10) * 2)
})
