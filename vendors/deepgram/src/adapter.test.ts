import assert from 'node:assert/strict'
import { join } from 'node:path'
import { conformance, listening, speaking, transcribing } from '@switchroom/kit/testing/conformance'
import { ratesConformance, spokenRatesConformance } from '@switchroom/kit/testing/rates-conformance'
import type { Wire } from '@switchroom/kit/testing/wire-fake'
import { wavOf } from '@switchroom/audio/wav'
import { deepgramWire } from '../testing/wire.ts'

const folder = join(import.meta.dirname, '..')
const vendor = deepgramWire()

const wire: Wire = {
  ...vendor,
  socket(socket, seen) {
    const { url, headers } = seen
    assert.match(headers.authorization ?? '', /^Token mark-of-api_key/)
    assert.deepEqual(Object.fromEntries(url.searchParams), {
      interim_results: 'true',
      punctuate: 'true',
      model: 'nova-3',
      language: 'en-GB',
      diarize_model: 'latest',
      keyterm: 'Ada Lovelace',
      encoding: 'linear16',
      sample_rate: '16000',
      channels: '1',
    })
    assert.deepEqual(url.searchParams.getAll('keyterm'), ['Switchroom', 'Ada Lovelace'])
    vendor.socket?.(socket, seen)
  },
  http(seen, answer) {
    const { url, headers, body } = seen
    assert.match(headers.authorization ?? '', /^Token mark-of-api_key/)
    if (url.pathname === '/v1/speak') {
      assert.deepEqual(Object.fromEntries(url.searchParams), {
        model: 'aura-2-apollo-en',
        encoding: 'linear16',
        container: 'none',
        sample_rate: '24000',
      })
      assert.deepEqual(JSON.parse(body.toString()), { text: 'hello there' })
    } else {
      assert.equal(headers['content-type'], 'audio/wav')
      assert.equal(body.subarray(0, 4).toString(), 'RIFF')
      assert.deepEqual(Object.fromEntries(url.searchParams), {
        smart_format: 'true',
        utterances: 'true',
        detect_language: 'true',
        model: 'nova-3',
        diarize_model: 'latest',
      })
    }
    return vendor.http?.(seen, answer)
  },
}

conformance(folder, wire, [
  speaking('says a line', 'hello there', { choice: { knobs: { voice: 'aura-2-apollo-en' } }, isRaw: true }),
  transcribing(
    'hears a recording',
    { bytes: wavOf(new Uint8Array(3200), 16_000), mediaType: 'audio/wav' },
    {
      choice: { knobs: { diarize: true } },
      expect({ text, language, duration, words, segments }) {
        assert.deepEqual([text, language, duration], ['Hello there. Goodbye.', 'en', 1.6])
        assert.deepEqual(
          words.map(({ word: said, speaker }) => [said, speaker]),
          [
            ['Hello', 0],
            ['there.', 0],
            ['Goodbye.', 1],
          ],
        )
        assert.deepEqual(segments, [
          { start: 0.1, end: 0.9, text: 'Hello there.', speaker: 0 },
          { start: 1.2, end: 1.6, text: 'Goodbye.', speaker: 1 },
        ])
      },
    },
  ),
  listening('listens', [new Uint8Array(9_000), 'finalize', new Uint8Array(7_000)], {
    choice: { knobs: { language: 'en-GB', diarize: true, heard: ['Switchroom', 'Ada Lovelace'] } },
    expect(heard) {
      assert.deepEqual(heard, [
        { type: 'ready' },
        { type: 'partial', text: 'Hello' },
        {
          type: 'final',
          text: 'Hello there.',
          start: 0.1,
          end: 0.9,
          speaker: 0,
          words: [
            { word: 'Hello', start: 0.1, end: 0.5, speaker: 0 },
            { word: 'there.', start: 0.5, end: 0.9, speaker: 0 },
          ],
        },
        {
          type: 'final',
          text: 'Goodbye.',
          start: 1.2,
          end: 1.6,
          speaker: 1,
          words: [{ word: 'Goodbye.', start: 1.2, end: 1.6, speaker: 1 }],
        },
      ])
    },
  }),
])

ratesConformance(folder, { wire: deepgramWire })

spokenRatesConformance(folder, {
  wire: deepgramWire(),
  rateIn: ({ url }) => Number(url.searchParams.get('sample_rate')),
})
