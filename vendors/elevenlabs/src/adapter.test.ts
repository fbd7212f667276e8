import assert from 'node:assert/strict'
import { join } from 'node:path'
import {
  conformance,
  listening,
  listingVoices,
  speaking,
  transcribing,
} from '@switchroom/kit/testing/conformance'
import { wavOf } from '@switchroom/audio/wav'
import { ratesConformance, spokenRatesConformance } from '@switchroom/kit/testing/rates-conformance'
import type { Wire } from '@switchroom/kit/testing/wire-fake'
import { elevenLabsWire, formField } from '../testing/wire.ts'

const folder = join(import.meta.dirname, '..')
const vendor = elevenLabsWire()

const wire: Wire = {
  ...vendor,
  socket(socket, seen) {
    assert.match(String(seen.headers['xi-api-key']), /^mark-of-api_key/)
    assert.deepEqual(Object.fromEntries(seen.url.searchParams), {
      commit_strategy: 'vad',
      model_id: 'scribe_v2_realtime',
      language_code: 'en',
      keyterms: 'Ada',
      include_timestamps: 'true',
      audio_format: 'pcm_16000',
    })
    vendor.socket?.(socket, seen)
  },
  http(seen, answer) {
    const { url, body, headers } = seen
    assert.match(String(headers['xi-api-key']), /^mark-of-api_key/)
    if (url.pathname.startsWith('/v1/text-to-speech')) {
      assert.equal(url.pathname, '/v1/text-to-speech/voice%2F1/stream/with-timestamps')
      assert.equal(url.search, '?output_format=pcm_16000')
      assert.deepEqual(JSON.parse(body.toString()), {
        text: 'Hello, there you are',
        model_id: 'eleven_flash_v2_5',
        language_code: 'pt',
        voice_settings: { speed: 1.1 },
      })
    } else if (url.pathname === '/v1/speech-to-text') {
      const fields = ['model_id', 'diarize', 'language_code', 'keyterms'].map((name) => formField(body, name))
      assert.deepEqual(fields, ['scribe_v2', 'true', 'en', 'Switchroom'])
      assert.match(body.toString('latin1'), /filename="audio.wav"/)
    } else assert.equal(url.searchParams.get('page_size'), '100')
    return vendor.http?.(seen, answer)
  },
}

conformance(folder, wire, [
  speaking('says a line', 'Hello, there you are', {
    choice: { knobs: { voice: 'voice/1', language: 'pt-BR', speed: 1.1, sample_rate: 16_000 } },
    hasWords: true,
  }),
  transcribing(
    'hears a recording',
    { bytes: wavOf(new Uint8Array(3200), 16_000), mediaType: 'audio/wav' },
    {
      choice: {
        model: 'scribe_v2',
        knobs: { diarize: true, language: 'en-US', heard: ['Switchroom', '<b>'] },
      },
      expect({ text, language, duration, words, segments }) {
        assert.deepEqual([text, language, duration], ['Hello there. (laughter) Bye.', 'en', 2.1])
        assert.deepEqual(
          words.map(({ word, speaker }) => [word, speaker]),
          [
            ['Hello', 0],
            ['there.', 0],
            ['Bye.', 1],
          ],
        )
        assert.deepEqual(segments, [
          { start: 0.1, end: 1, text: 'Hello there.', speaker: 0 },
          { start: 1.6, end: 2, text: 'Bye.', speaker: 1 },
        ])
      },
    },
  ),
  listingVoices('lists its voices', {
    expect(voices) {
      const unknown = { language: null, description: null, gender: null, country: null, accent: null }
      assert.deepEqual(voices, [
        {
          id: 'v1',
          name: 'George',
          language: 'en-GB',
          description: 'Warm and calm',
          gender: 'male',
          country: 'GB',
          accent: 'british',
        },
        { id: 'v2', name: 'Ana', ...unknown },
        { id: 'v3', name: 'v3', ...unknown },
      ])
    },
  }),
  listening('listens', [new Uint8Array(32_000), 'finalize'], {
    choice: { knobs: { language: 'en-US', heard: ['Ada', 'a term longer than it takes'] } },
    expect(heard) {
      assert.deepEqual(heard, [
        { type: 'ready' },
        { type: 'partial', text: 'Hel' },
        {
          type: 'final',
          text: 'Hello there.',
          start: 0.1,
          end: 1,
          language: 'en',
          words: [
            { word: 'Hello', start: 0.1, end: 0.5 },
            { word: 'there.', start: 0.6, end: 1 },
          ],
        },
      ])
    },
  }),
])

ratesConformance(folder, { wire: elevenLabsWire, mostFilledMs: 400 })

spokenRatesConformance(folder, {
  wire: elevenLabsWire(),
  rateIn: ({ url }) => Number(url.searchParams.get('output_format')?.replace('pcm_', '')),
})
