import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { conformance, listening, transcribing } from '@switchroom/kit/testing/conformance'
import { ratesConformance } from '@switchroom/kit/testing/rates-conformance'
import { audioOf, transcriberAt } from '@switchroom/kit/testing/transcriber-at'
import { startWireFake, type Wire } from '@switchroom/kit/testing/wire-fake'
import { wavOf } from '@switchroom/audio/wav'
import { assemblyAiWire } from '../testing/wire.ts'

const folder = join(import.meta.dirname, '..')
const vendor = assemblyAiWire()

const wire: Wire = {
  ...vendor,
  socket(socket, seen) {
    assert.match(seen.headers.authorization ?? '', /^mark-of-api_key/)
    assert.deepEqual(Object.fromEntries(seen.url.searchParams), {
      sample_rate: '16000',
      encoding: 'pcm_s16le',
      speech_model: 'universal-streaming-multilingual',
      keyterms_prompt: '["Switchroom"]',
      end_of_turn_confidence_threshold: '0.7',
    })
    vendor.socket?.(socket, seen)
  },
  http(seen, answer) {
    assert.match(seen.headers.authorization ?? '', /^mark-of-api_key/)
    if (seen.url.pathname === '/v2/upload') assert.equal(seen.body.subarray(0, 4).toString(), 'RIFF')
    if (seen.url.pathname === '/v2/transcript')
      assert.deepEqual(JSON.parse(seen.body.toString()), {
        audio_url: 'https://cdn.assemblyai.com/upload/a-file',
        speech_models: ['universal-2'],
        language_detection: true,
        speaker_labels: true,
      })
    return vendor.http?.(seen, answer)
  },
}

const piece = () => new Uint8Array(640) // 20 ms

conformance(folder, wire, [
  listening('hears live', [piece(), piece(), piece(), 'finalize', piece()], {
    choice: { knobs: { language: 'es-MX', heard: ['Switchroom'], eot_threshold: 0.7 } },
    expect(heard) {
      const final = (start: number) => ({
        type: 'final',
        text: 'hola',
        start,
        end: start + 0.4,
        words: [{ word: 'hola', start, end: start + 0.4 }],
      })
      assert.deepEqual(heard, [
        { type: 'ready' },
        { type: 'turn', state: 'started' },
        { type: 'partial', text: 'hola' },
        final(0),
        { type: 'turn', state: 'ended' },
        { type: 'turn', state: 'started' },
        { type: 'partial', text: 'hola' },
        final(1),
        { type: 'turn', state: 'ended' },
      ])
    },
  }),
  transcribing(
    'hears a recording',
    { bytes: wavOf(new Uint8Array(3_200), 16_000), mediaType: 'audio/wav' },
    {
      choice: { knobs: { diarize: true } },
      expect({ text, language, duration, words, segments }) {
        assert.deepEqual([text, language, duration], ['Hello there. Hi.', 'en', 2])
        assert.deepEqual(words[2], { word: 'Hi.', start: 1.2, end: 1.5, speaker: 1 })
        assert.deepEqual(segments, [
          { start: 0, end: 0.9, text: 'Hello there.', speaker: 0 },
          { start: 1.2, end: 1.5, text: 'Hi.', speaker: 1 },
        ])
      },
    },
  ),
])

ratesConformance(folder, { wire: assemblyAiWire, mostFilledMs: 50 })

test('the language is detected live if none is set, and reported', async (t) => {
  const fake = await startWireFake(assemblyAiWire())
  t.after(() => fake.stop())
  const transcriber = await transcriberAt(folder, fake)
  const heard = await Array.fromAsync(
    transcriber.listen(audioOf(new Uint8Array(3_200)), 16_000, AbortSignal.timeout(5_000)),
  )
  const asked = fake.seen[0]?.url.searchParams
  assert.deepEqual(
    [asked?.get('speech_model'), asked?.get('language_detection')],
    ['universal-streaming-multilingual', 'true'],
  )
  assert.equal(heard.find((each) => each.type === 'final')?.language, 'es')
})

test('its newer models take a language as one of several', async (t) => {
  const fake = await startWireFake(assemblyAiWire())
  t.after(() => fake.stop())
  const knobs = { language: 'pt-BR' }
  const transcriber = await transcriberAt(folder, fake, { model: 'universal-3-5-pro', knobs })
  await Array.fromAsync(
    transcriber.listen(audioOf(new Uint8Array(3_200)), 16_000, AbortSignal.timeout(5_000)),
  )
  const asked = fake.seen[0]?.url.searchParams
  assert.deepEqual([asked?.get('language_codes'), asked?.get('language_detection')], ['["pt"]', null])
})
