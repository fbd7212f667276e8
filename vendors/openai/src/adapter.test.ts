import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { vendorIn } from '@switchroom/kit/installed'
import { conformance, speaking, transcribing } from '@switchroom/kit/testing/conformance'
import { answerChat, openAiShapedThinking, type ChatWire } from '@switchroom/kit/testing/openai-shaped-wire'
import { startWireFake, type Wire } from '@switchroom/kit/testing/wire-fake'
import { wavOf } from '@switchroom/audio/wav'

const folder = join(import.meta.dirname, '..')

const chat: ChatWire = {
  model: 'gpt-4.1-mini',
  besides: { stream_options: { include_usage: true } },
  callsCome: 'in pieces',
  ids: ['call_62136354', 'call_62136355'],
  usageComes: 'in a chunk of its own',
  refusal: (words) => ({
    error: { message: words, type: 'invalid_request_error', param: null, code: 'invalid_api_key' },
  }),
}

const timed = {
  text: 'Hello there.',
  language: 'english',
  duration: 0.9,
  words: [
    { word: 'Hello', start: 0, end: 0.4 },
    { word: 'there', start: 0.4, end: 0.9 },
  ],
  segments: [{ id: 0, start: 0, end: 0.9, text: ' Hello there.' }],
  usage: { type: 'duration', seconds: 1 },
}

const wire: Wire = {
  refusal: chat.refusal,
  async http(seen, answer) {
    assert.match(seen.headers.authorization ?? '', /^Bearer mark-of-api_key/)
    if (seen.url.pathname === '/audio/speech') {
      assert.deepEqual(JSON.parse(seen.body.toString()), {
        model: 'gpt-4o-mini-tts',
        voice: 'coral',
        speed: 1.1,
        input: 'hello there',
        response_format: 'pcm',
      })
      answer.start({ 'content-type': 'audio/pcm' })
      for (const length of [4801, 4799, 9600]) await answer.piece(Buffer.alloc(length, 7))
      return answer.end()
    }
    if (seen.url.pathname !== '/audio/transcriptions') return answerChat(chat, seen, answer)
    const form = await new Response(seen.body, {
      headers: { 'content-type': seen.headers['content-type'] ?? '' },
    }).formData()
    const file = form.get('file') as File
    assert.deepEqual([file.name, file.type, file.size], ['audio.wav', 'audio/wav', 3244])
    assert.deepEqual([form.get('language'), form.get('prompt')], ['pt', 'Switchroom, Ana'])
    const isTimed = form.get('model') === 'whisper-1'
    assert.equal(form.get('response_format'), isTimed ? 'verbose_json' : 'json')
    assert.deepEqual(form.getAll('timestamp_granularities[]'), isTimed ? ['word', 'segment'] : [])
    return answer.json(isTimed ? timed : { text: 'Hello there.', usage: { type: 'tokens', total_tokens: 9 } })
  },
}

const recording = { bytes: wavOf(new Uint8Array(3200), 16_000), mediaType: 'audio/wav' }
const knobs = { language: 'pt-BR', heard: ['Switchroom', 'Ana'] }

conformance(folder, wire, [
  speaking('says a line', 'hello there', {
    choice: { knobs: { voice: 'coral', speed: 1.1 } },
    isRaw: true,
  }),
  transcribing('hears a recording word by word', recording, {
    choice: { model: 'whisper-1', knobs },
    expect(transcript) {
      const { text, language, duration, words, segments } = transcript
      assert.deepEqual([text, language, duration], ['Hello there.', 'en', 0.9])
      assert.deepEqual(words, timed.words)
      assert.deepEqual(segments, [{ start: 0, end: 0.9, text: 'Hello there.' }])
    },
  }),
  transcribing('hears a recording', recording, {
    choice: { knobs },
    expect: (transcript) =>
      assert.deepEqual(transcript, {
        text: 'Hello there.',
        language: null,
        duration: null,
        words: [],
        segments: [],
      }),
  }),
  ...openAiShapedThinking(chat),
])

/** What the vendor is asked for when the adapter says this. */
async function askedFor(text: string, voice: string): Promise<{ input: string; voice: unknown }[]> {
  const seen: { input: string; voice: unknown }[] = []
  const fake = await startWireFake({
    refusal: chat.refusal,
    async http({ body }, answer) {
      seen.push(JSON.parse(body.toString()) as { input: string; voice: unknown })
      answer.start({ 'content-type': 'audio/pcm' })
      await answer.piece(Buffer.alloc(480))
      answer.end()
    },
  })
  try {
    const choice = { options: { base_url: `${fake.url}/` }, knobs: { voice }, credentials: { api_key: 'k' } }
    const spoken = (await vendorIn(folder)?.voice(choice))?.speak(text, AbortSignal.timeout(5_000))
    assert.equal((await Array.fromAsync(spoken ?? [])).length, seen.length)
  } finally {
    await fake.stop()
  }
  return seen
}

test('a long text is said in pieces that the vendor takes, one after the other (SD-70)', async () => {
  const text = 'One sentence. '.repeat(300) + 'word '.repeat(900)
  const inputs = (await askedFor(text, 'coral')).map(({ input }) => input)
  assert.equal(inputs.join(''), text)
  assert.ok(inputs.every((input) => input.length <= 4096))
  assert.ok(inputs[0]?.endsWith('One sentence. '))
})

test('a voice of the account goes by its id', async () => {
  assert.deepEqual((await askedFor('hello', 'voice_1234'))[0]?.voice, { id: 'voice_1234' })
})
