import assert from 'node:assert/strict'
import { join } from 'node:path'
import {
  conformance,
  listening,
  listingVoices,
  speaking,
  transcribing,
} from '@switchroom/kit/testing/conformance'
import { recording } from '@switchroom/kit/testing/recordings'
import { azureWire } from '../testing/wire.ts'

const wire = azureWire()

conformance(join(import.meta.dirname, '..'), wire, [
  listening('hears live', [new Uint8Array(640), 'finalize', new Uint8Array(640)], {
    choice: { knobs: { language: 'en', heard: ['Switchroom'] } },
    expect(heard) {
      assert.deepEqual(heard, [
        { type: 'ready' },
        { type: 'partial', text: 'hello there' },
        {
          type: 'final',
          text: 'Hello there.',
          start: 0.1,
          end: 1.1,
          words: [
            { word: 'Hello', start: 0.1, end: 0.5 },
            { word: 'there.', start: 0.6, end: 1 },
          ],
        },
      ])
      assert.deepEqual(wire.contexts.at(-1), {
        phraseDetection: { language: 'en-US', mode: 'Conversation' },
        phraseOutput: { format: 'Detailed', detailed: { options: ['WordTimings'] } },
        dgi: { groups: [{ type: 'Generic', items: [{ text: 'Switchroom' }] }], bias: 1 },
      })
    },
  }),
  transcribing(
    'hears a recording',
    { bytes: recording('fox.ogg'), mediaType: 'audio/ogg; codecs=opus' },
    {
      choice: { knobs: { diarize: true, heard: ['Switchroom'] } },
      expect({ text, language, duration, words, segments }) {
        assert.deepEqual([text, language, duration], ['Hello there. Good bye.', 'en', 2.5])
        assert.deepEqual(words[2], { word: 'Good', start: 1.5, end: 1.9, speaker: 1 })
        assert.deepEqual(segments, [
          { start: 0, end: 1, text: 'Hello there.', speaker: 0 },
          { start: 1.5, end: 2.5, text: 'Good bye.', speaker: 1 },
        ])
        assert.deepEqual(wire.definitions.at(-1), {
          phraseList: { phrases: ['Switchroom'] },
          diarization: { enabled: true, maxSpeakers: 10 },
        })
      },
    },
  ),
  speaking('says a line', 'Hello, there you are', {
    choice: { knobs: { language: 'pt', speed: 1.2, sample_rate: 16_000 } },
    isRaw: true,
  }),
  listingVoices('lists its voices', {
    expect(voices) {
      assert.deepEqual(voices, [
        {
          id: 'en-US-AvaMultilingualNeural',
          name: 'Ava Multilingual',
          language: null,
          description: null,
          gender: 'female',
          country: 'US',
          accent: null,
        },
        {
          id: 'pt-BR-AntonioNeural',
          name: 'Antonio',
          language: 'pt-BR',
          description: 'styles: cheerful, calm',
          gender: 'male',
          country: 'BR',
          accent: null,
        },
      ])
    },
  }),
])
