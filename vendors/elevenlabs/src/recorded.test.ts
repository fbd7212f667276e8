import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { audioOf, transcriberAt } from '@switchroom/kit/testing/transcriber-at'
import { startWireFake } from '@switchroom/kit/testing/wire-fake'
import { elevenLabsWire, formField } from '../testing/wire.ts'

const folder = join(import.meta.dirname, '..')
const recording = { bytes: new Uint8Array(100), mediaType: 'audio/ogg' }

test('a model that only listens live leaves recordings to its sibling, with what both know', async (t) => {
  const fake = await startWireFake(elevenLabsWire())
  t.after(() => fake.stop())
  const knobs = { language: 'pt-BR', heard: ['Ada'] }
  const transcriber = await transcriberAt(folder, fake, { model: 'scribe_v2_realtime', knobs })
  const { text } = await transcriber.transcribe(recording, AbortSignal.timeout(5_000))
  assert.equal(text, 'Hello there. (laughter) Bye.')
  const body = fake.seen[0]?.body ?? Buffer.alloc(0)
  assert.deepEqual(
    ['model_id', 'language_code', 'keyterms', 'commit_strategy'].map((name) => formField(body, name)),
    ['scribe_v2', 'pt', 'Ada', undefined],
  )
})

test('the language is detected if none is set, live and of a recording', async (t) => {
  const fake = await startWireFake(elevenLabsWire())
  t.after(() => fake.stop())
  const transcriber = await transcriberAt(folder, fake)
  const heard = await Array.fromAsync(
    transcriber.listen(audioOf(new Uint8Array(32_000)), 16_000, AbortSignal.timeout(5_000)),
  )
  assert.equal(fake.seen[0]?.url.searchParams.get('include_language_detection'), 'true')
  const final = heard.find((each) => each.type === 'final')
  assert.equal(final?.language, 'en')
  const { language } = await transcriber.transcribe(recording, AbortSignal.timeout(5_000))
  assert.equal(language, 'en')
  assert.equal(formField(fake.seen[1]?.body ?? Buffer.alloc(0), 'language_code'), undefined)
})
