import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timedSpeech, type SpeechPiece } from './timed-speech.ts'

async function* pieces(): AsyncIterable<SpeechPiece> {
  yield { audio: Buffer.from([1, 2, 3]).toString('base64'), marks: [{ text: 'hi', start: 0, end: 0.2 }] }
  yield { marks: [{ text: 'you', start: 0.2, end: 0.4 }] }
  yield { audio: Buffer.from([4, 5]).toString('base64') }
}

test('a sample that comes in two halves is joined, and a word comes before the sound it is in (SD-72)', async () => {
  const spoken = await Array.fromAsync(timedSpeech('hi you', pieces()))
  assert.deepEqual(
    spoken.map((said) => (said.type === 'audio' ? [...said.pcm] : said.word)),
    ['hi', [1, 2], 'you', [3, 4]],
  )
})
