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
import { wire } from '../testing/wire.ts'

conformance(join(import.meta.dirname, '..'), wire, [
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
