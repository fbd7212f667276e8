import assert from 'node:assert/strict'
import { SoundAtVendor } from '@switchroom/kit/testing/rates-conformance'
import type { HttpAnswer, Seen, SocketAnswer, Wire } from '@switchroom/kit/testing/wire-fake'
import { fluxListen } from './flux-wire.ts'

const spokenRates = new Set(['8000', '16000', '24000', '32000', '48000'])

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

const results = (words: typeof hello, isFinal: boolean, languages?: string[]) => ({
  type: 'Results',
  channel_index: [0, 1],
  start: words[0]?.start ?? 0,
  duration: 1,
  is_final: isFinal,
  speech_final: false,
  channel: {
    alternatives: [{ transcript: textOf(words), confidence: 0.98, words, ...(languages && { languages }) }],
  },
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

/** Guesses at the first audio; is sure of some words when asked to finalize and of the rest at the end. */
function liveListen(sound: SoundAtVendor, socket: SocketAnswer, { url: { searchParams: asked } }: Seen) {
  assert.doesNotMatch(asked.get('model') ?? '', /^flux-/, 'a model of the other endpoint')
  if (asked.get('model')?.startsWith('nova-3')) assert.equal(asked.get('keywords'), null)
  assert.equal(asked.get('detect_language'), null, 'a language is detected of recordings only')
  assert.equal(asked.get('encoding'), 'linear16')
  sound.rate = Number(asked.get('sample_rate'))
  const languages = asked.get('language') === 'multi' ? ['en'] : undefined
  let isHeard = false
  socket.onFrame((frame) => {
    if (typeof frame !== 'string') {
      if (!isHeard) socket.send(results(hello.slice(0, 1), false))
      isHeard = true
      sound.add(frame)
      return
    }
    const { type } = JSON.parse(frame) as { type: string }
    if (type === 'Finalize') {
      socket.send(results([], true))
      socket.send({ ...results(hello, true, languages), from_finalize: true })
    }
    if (type === 'CloseStream') {
      socket.send(results(bye, true, languages))
      socket.send(metadata)
      socket.close()
    }
  })
}

async function speak({ url: { searchParams: asked }, body }: Seen, answer: HttpAnswer) {
  assert.match(asked.get('model') ?? '', /^aura-(2-)?[a-z]+-[a-z]{2}$/)
  assert.deepEqual([asked.get('encoding'), asked.get('container')], ['linear16', 'none'])
  assert.ok(spokenRates.has(asked.get('sample_rate') ?? ''), `sample_rate is ${asked.get('sample_rate')}`)
  assert.ok((JSON.parse(body.toString()) as { text: string }).text)
  answer.start({ 'content-type': `audio/l16;rate=${asked.get('sample_rate')};channels=1` })
  for (const length of [4801, 4799, 9600]) await answer.piece(Buffer.alloc(length, 7))
  answer.end()
}

function transcribe({ url: { searchParams: asked }, body }: Seen, answer: HttpAnswer) {
  assert.doesNotMatch(asked.get('model') ?? '', /^flux-/, 'it only listens live')
  assert.ok(body.length > 0)
  const words = [...hello, ...bye]
  const utterance = (said: typeof hello) => ({
    id: 'an-utterance',
    channel: 0,
    confidence: 0.98,
    start: said[0]?.start,
    end: said.at(-1)?.end,
    transcript: textOf(said),
    speaker: said[0]?.speaker,
    words: said,
  })
  const isDetected = asked.get('detect_language') === 'true'
  return answer.json({
    metadata: { ...metadata, models: ['m'], model_info: {} },
    results: {
      channels: [
        {
          ...(isDetected && { detected_language: 'en', language_confidence: 0.9 }),
          alternatives: [{ transcript: textOf(words), confidence: 0.98, words }],
        },
      ],
      ...(asked.get('utterances') === 'true' && { utterances: [utterance(hello), utterance(bye)] }),
    },
  })
}

/** Deepgram: voices, live and recorded speech-to-text; what it hears live is kept in `sound`. */
export function deepgramWire(sound = new SoundAtVendor()): Wire {
  return {
    refusal: (words) => ({ err_code: 'Bad Request', err_msg: words, request_id: 'fake' }),
    socket(socket, seen) {
      assert.match(seen.headers.authorization ?? '', /^Token ./)
      if (seen.url.pathname === '/v2/listen') return fluxListen(sound, socket, seen)
      assert.equal(seen.url.pathname, '/v1/listen')
      return liveListen(sound, socket, seen)
    },
    async http(seen, answer) {
      assert.match(seen.headers.authorization ?? '', /^Token ./)
      if (seen.url.pathname === '/v1/speak') return speak(seen, answer)
      assert.equal(seen.url.pathname, '/v1/listen')
      return transcribe(seen, answer)
    },
  }
}
