import assert from 'node:assert/strict'
import { join } from 'node:path'
import { conformance, listening, transcribing } from '@switchroom/kit/testing/conformance'
import { ratesConformance } from '@switchroom/kit/testing/rates-conformance'
import type { Wire } from '@switchroom/kit/testing/wire-fake'
import { wavOf } from '@switchroom/audio/wav'
import { gladiaWire } from '../testing/wire.ts'

const folder = join(import.meta.dirname, '..')

function assertLiveWishes(asked: Record<string, unknown>) {
  const { messages_config: messages, ...wishes } = asked
  assert.ok((messages as Record<string, unknown>)['receive_partial_transcripts'])
  assert.deepEqual(wishes, {
    model: 'solaria-1',
    encoding: 'wav/pcm',
    bit_depth: 16,
    sample_rate: 16_000,
    channels: 1,
    language_config: { languages: ['fr'] },
    realtime_processing: {
      custom_vocabulary: true,
      custom_vocabulary_config: { vocabulary: ['Switchroom'] },
    },
  })
}

const vendor = gladiaWire()
const wire: Wire = {
  ...vendor,
  http(seen, answer) {
    assert.match(String(seen.headers['x-gladia-key']), /^mark-of-api_key/)
    const asked = () => JSON.parse(seen.body.toString()) as Record<string, unknown>
    if (seen.url.pathname === '/v2/live') assertLiveWishes(asked())
    if (seen.url.pathname === '/v2/upload')
      assert.match(seen.body.toString('latin1'), /name="audio"; filename="audio.wav"/)
    if (seen.url.pathname === '/v2/pre-recorded') {
      const { audio_url: _given, ...wishes } = asked()
      assert.deepEqual(wishes, { model: 'solaria-1', diarization: true })
    }
    return vendor.http?.(seen, answer)
  },
}

conformance(folder, wire, [
  listening('hears live', [new Uint8Array(640), 'finalize', new Uint8Array(640)], {
    choice: { knobs: { language: 'fr-CA', heard: ['Switchroom'] } },
    expect(heard) {
      assert.deepEqual(heard, [
        { type: 'ready' },
        { type: 'partial', text: 'Bonjour monde' },
        {
          type: 'final',
          text: 'Bonjour monde',
          start: 0,
          end: 0.8,
          language: 'fr',
          words: [
            { word: 'Bonjour', start: 0, end: 0.3 },
            { word: 'monde', start: 0.4, end: 0.8 },
          ],
        },
      ])
    },
  }),
  transcribing(
    'hears a recording',
    { bytes: wavOf(new Uint8Array(3_200), 16_000), mediaType: 'audio/wav' },
    {
      choice: { knobs: { diarize: true } },
      expect({ text, language, duration, words, segments }) {
        assert.deepEqual([text, language, duration], ['Bonjour monde Salut toi', 'fr', 2.5])
        assert.deepEqual(words[2], { word: 'Salut', start: 1.5, end: 1.8, speaker: 1 })
        assert.deepEqual(segments, [
          { start: 0, end: 0.8, text: 'Bonjour monde', speaker: 0 },
          { start: 1.5, end: 2.3, text: 'Salut toi', speaker: 1 },
        ])
      },
    },
  ),
])

ratesConformance(folder, { wire: gladiaWire })
