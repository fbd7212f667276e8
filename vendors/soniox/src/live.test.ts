import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { audioOf, transcriberAt } from '@switchroom/kit/testing/transcriber-at'
import { startWireFake } from '@switchroom/kit/testing/wire-fake'
import type { Heard } from '@switchroom/kit/vendor'
import { sonioxWire } from '../testing/wire.ts'

/** What is heard of a vendor that answers the first audio with these frames. */
async function heardOf(...frames: object[]): Promise<Heard[]> {
  const fake = await startWireFake({
    refusal: (message) => ({ message }),
    socket(socket) {
      socket.onFrame((frame) => {
        if (Buffer.isBuffer(frame)) for (const answer of frames) socket.send(answer)
      })
    },
  })
  const transcriber = await transcriberAt(join(import.meta.dirname, '..'), fake)
  const audio = audioOf(new Uint8Array(64))
  try {
    return await Array.fromAsync(transcriber.listen(audio, 16_000, AbortSignal.timeout(10_000)))
  } finally {
    await fake.stop()
  }
}

const token = (text: string, is_final: boolean) => ({ text, start_ms: 0, end_ms: 100, is_final })

test('an utterance ends at the mark of the vendor, and what is unsure belongs to the next', async () => {
  const heard = await heardOf(
    { tokens: [token('Hel', true), token('lo', false)] },
    { tokens: [token('lo.', true), token('<end>', true), token(' And', false)] },
    { tokens: [token(' And', true)] },
    { tokens: [], finished: true },
  )
  const final = { type: 'final', start: 0, end: 0.1 }
  const word = { start: 0, end: 0.1 }
  assert.deepEqual(heard, [
    { type: 'ready' },
    { type: 'partial', text: 'Hello' },
    { ...final, text: 'Hello.', words: [{ ...word, word: 'Hello.' }] },
    { type: 'partial', text: 'And' },
    { type: 'partial', text: 'And' },
    { ...final, text: 'And', words: [{ ...word, word: 'And' }] },
  ])
})

test('a mark with nothing before it is nothing heard (SD-77)', async () => {
  assert.deepEqual(await heardOf({ tokens: [token('<fin>', true)] }, { finished: true }), [{ type: 'ready' }])
})

test('a vendor that cannot continue has not answered, one that refuses has (SD-26)', async () => {
  const restart = { error_code: 503, error_message: 'Cannot continue request (code 1).' }
  await assert.rejects(heardOf(restart), { kind: 'silent', message: /Cannot continue/ })
  const unpaid = { error_code: 402, error_message: 'Balance exhausted.' }
  await assert.rejects(heardOf(unpaid), { kind: 'refused', message: 'Balance exhausted.' })
})

test('a session that ends before any audio came is nothing heard', async (t) => {
  const fake = await startWireFake(sonioxWire())
  t.after(() => fake.stop())
  const transcriber = await transcriberAt(join(import.meta.dirname, '..'), fake)
  const heard = transcriber.listen(audioOf(), 16_000, AbortSignal.timeout(10_000))
  assert.deepEqual(await Array.fromAsync(heard), [{ type: 'ready' }])
})
