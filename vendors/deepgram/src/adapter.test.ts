import assert from 'node:assert/strict'
import { join } from 'node:path'
import { conformance, listening, speaking, transcribing } from '@switchroom/kit/testing/conformance'
import type { SocketAnswer, Wire } from '@switchroom/kit/testing/wire-fake'
import { wavOf } from '@switchroom/audio/wav'

const word = (said: string, start: number, speaker: number) => ({
  word: said.toLowerCase().replace(/\W/g, ''),
  punctuated_word: said,
  start,
  end: start + 0.4,
  confidence: 0.98,
  speaker,
})

const hello = [word('Hello', 0.1, 1), word('there.', 0.5, 1)]
const bye = [word('Goodbye.', 1.2, 0)]
const textOf = (words: { punctuated_word: string }[]) =>
  words.map(({ punctuated_word: said }) => said).join(' ')

const results = (words: typeof hello, isFinal: boolean) => ({
  type: 'Results',
  channel_index: [0, 1],
  start: words[0]?.start ?? 0,
  duration: 1,
  is_final: isFinal,
  speech_final: false,
  channel: { alternatives: [{ transcript: textOf(words), confidence: 0.98, words }] },
  metadata: {
    request_id: 'fake',
    model_info: { name: 'nova-3', version: '1', arch: 'nova-3' },
    model_uuid: 'm',
  },
})

const metadata = {
  type: 'Metadata',
  transaction_key: 'deprecated',
  request_id: 'fake',
  sha256: 'f',
  created: '2026-11-15T12:00:00.000Z',
  duration: 1.6,
  channels: 1,
}

function liveListen(socket: SocketAnswer) {
  let heardBytes = 0
  socket.onFrame((frame) => {
    if (typeof frame !== 'string') {
      if (heardBytes === 0) socket.send(results(hello.slice(0, 1), false))
      heardBytes += frame.length
      return
    }
    const { type } = JSON.parse(frame) as { type: string }
    if (type === 'Finalize') {
      socket.send(results([], true))
      socket.send({ ...results(hello, true), from_finalize: true })
    }
    if (type === 'CloseStream') {
      assert.equal(heardBytes, 16_000)
      socket.send(results(bye, true))
      socket.send(metadata)
      socket.close()
    }
  })
}

const wire: Wire = {
  refusal: (words) => ({ err_code: 'Bad Request', err_msg: words, request_id: 'fake' }),
  socket(socket, { url, headers }) {
    assert.equal(url.pathname, '/v1/listen')
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
    liveListen(socket)
  },
  async http({ url, headers, body }, answer) {
    assert.match(headers.authorization ?? '', /^Token mark-of-api_key/)
    if (url.pathname === '/v1/speak') {
      assert.deepEqual(Object.fromEntries(url.searchParams), {
        model: 'aura-2-apollo-en',
        encoding: 'linear16',
        container: 'none',
        sample_rate: '24000',
      })
      assert.deepEqual(JSON.parse(body.toString()), { text: 'hello there' })
      answer.start({ 'content-type': 'audio/l16;rate=24000;channels=1' })
      for (const length of [4801, 4799, 9600]) await answer.piece(Buffer.alloc(length, 7))
      return answer.end()
    }
    assert.equal(url.pathname, '/v1/listen')
    assert.equal(headers['content-type'], 'audio/wav')
    assert.equal(body.subarray(0, 4).toString(), 'RIFF')
    assert.deepEqual(Object.fromEntries(url.searchParams), {
      smart_format: 'true',
      utterances: 'true',
      detect_language: 'true',
      model: 'nova-3',
      diarize_model: 'latest',
    })
    const words = [...hello, ...bye]
    const utterance = (said: typeof hello) => ({
      start: said[0]?.start,
      end: said.at(-1)?.end,
      transcript: textOf(said),
      speaker: said[0]?.speaker,
      words: said,
    })
    return answer.json({
      metadata: { ...metadata, models: ['m'], model_info: {} },
      results: {
        channels: [{ detected_language: 'en', alternatives: [{ transcript: textOf(words), words }] }],
        utterances: [utterance(hello), utterance(bye)],
      },
    })
  },
}

conformance(join(import.meta.dirname, '..'), wire, [
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
