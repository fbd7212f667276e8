import assert from 'node:assert/strict'
import { join } from 'node:path'
import { conformance, listening, transcribing } from '@switchroom/kit/testing/conformance'
import { recording } from '@switchroom/kit/testing/recordings'
import { speechmaticsWire } from '../testing/wire.ts'

const wire = speechmaticsWire()

conformance(join(import.meta.dirname, '..'), wire, [
  listening('hears live', [new Uint8Array(640), 'finalize', new Uint8Array(640)], {
    choice: { knobs: { language: 'en-GB', heard: ['Switchroom'] } },
    expect(heard) {
      assert.deepEqual(heard, [
        { type: 'ready' },
        { type: 'turn', state: 'started' },
        { type: 'partial', text: 'Hello their' },
        { type: 'partial', text: 'Hello' },
        { type: 'partial', text: 'Hello there.' },
        {
          type: 'final',
          text: 'Hello there.',
          start: 0,
          end: 1,
          language: 'en',
          words: [
            { word: 'Hello', start: 0, end: 0.4 },
            { word: 'there.', start: 0.5, end: 1 },
          ],
        },
        { type: 'partial', text: 'Bye.' },
        {
          type: 'final',
          text: 'Bye.',
          start: 2,
          end: 2.5,
          language: 'en',
          words: [{ word: 'Bye.', start: 2, end: 2.5 }],
        },
        { type: 'turn', state: 'ended' },
      ])
      assert.deepEqual(wire.started.at(-1), {
        message: 'StartRecognition',
        audio_format: { type: 'raw', encoding: 'pcm_s16le', sample_rate: 16_000 },
        transcription_config: {
          model: 'enhanced',
          language: 'en',
          additional_vocab: [{ content: 'Switchroom' }],
          max_delay: 1,
          enable_partials: true,
          conversation_config: { end_of_utterance_silence_trigger: 0.5 },
        },
      })
    },
  }),
  transcribing(
    'hears a recording',
    { bytes: recording('fox.ogg'), mediaType: 'audio/ogg; codecs=opus' },
    {
      choice: { knobs: { diarize: true } },
      expect({ text, language, duration, words, segments }) {
        assert.deepEqual([text, language, duration], ['Hello there. How are you?', 'en', 3])
        assert.deepEqual(words[2], { word: 'How', start: 1.5, end: 1.9, speaker: 1 })
        assert.deepEqual(segments, [
          { start: 0, end: 1, text: 'Hello there.', speaker: 0 },
          { start: 1.5, end: 3, text: 'How are you?', speaker: 1 },
        ])
        const job = wire.jobs.at(-1)
        assert.match(String(job?.body), /name="data_file"; filename="audio.ogg"/)
        assert.deepEqual(job?.config, {
          type: 'transcription',
          transcription_config: { model: 'enhanced', diarization: 'speaker', language: 'auto' },
          language_identification_config: { low_confidence_action: 'allow' },
        })
      },
    },
  ),
])
