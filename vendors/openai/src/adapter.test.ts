import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { vendorIn } from '@switchroom/kit/installed'
import { conformance, speaking, transcribing, type Operation } from '@switchroom/kit/testing/conformance'
import { modelConformance } from '@switchroom/kit/testing/model-conformance'
import { openAiShapedStreams } from '@switchroom/kit/testing/openai-shaped-streams'
import { openAiShapedThinking } from '@switchroom/kit/testing/openai-shaped-wire'
import { startWireFake } from '@switchroom/kit/testing/wire-fake'
import { wavOf } from '@switchroom/audio/wav'
import { responsesStreams } from '../testing/responses-streams.ts'
import { chat, openAiWire, timed } from '../testing/wire.ts'

const folder = join(import.meta.dirname, '..')

/** The models that are still reached over chat completions. */
const overChat = (operation: Operation): Operation => ({
  ...operation,
  run: (vendor, choice, signal) => operation.run(vendor, { model: chat.model, ...choice }, signal),
})

/** At another address than OpenAI's own, the newer API has to be named. */
const over = (api: string, operation: Operation): Operation => ({
  ...operation,
  name: `${operation.name} over the API ${api}`,
  run: (vendor, choice, signal) =>
    operation.run(vendor, { ...choice, options: { ...choice.options, api } }, signal),
})

const recording = { bytes: wavOf(new Uint8Array(3200), 16_000), mediaType: 'audio/wav' }
const knobs = { language: 'pt-BR', heard: ['Switchroom', 'Ana'] }

conformance(folder, openAiWire, [
  speaking('says a line', 'hello there', {
    choice: { model: 'gpt-4o-mini-tts', knobs: { voice: 'coral', speed: 1.1 } },
    isRaw: true,
  }),
  over('realtime', speaking('says a line', 'hello there', { choice: { knobs: { voice: 'coral' } } })),
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
        language: 'pt',
        duration: null,
        words: [],
        segments: [],
      }),
  }),
  ...openAiShapedThinking(chat).map((operation) => overChat(operation)),
  ...openAiShapedThinking(chat).map((operation) => over('responses', operation)),
])

modelConformance(folder, openAiWire, responsesStreams)
modelConformance(
  folder,
  openAiWire,
  openAiShapedStreams(chat, {
    options: { api: 'chat' },
    refuseTemperature: ['gpt-6.1-sol', 'gpt-6-astra'],
  }),
)

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
    const choice = {
      options: { base_url: `${fake.url}/` },
      knobs: { voice },
      credentials: { api_key: 'k' },
      model: 'tts-1',
    }
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

test('a server at another address that imitates OpenAI is asked over the older APIs, unless the option api names the newer', async () => {
  const fake = await startWireFake({
    refusal: chat.refusal,
    async http({ url }, answer) {
      const isSpeech = url.pathname === '/audio/speech'
      answer.start({ 'content-type': isSpeech ? 'audio/pcm' : 'text/event-stream' })
      const choices = [{ index: 0, delta: { content: 'Hi.' }, finish_reason: 'stop' }]
      const said = `data: ${JSON.stringify({ choices })}\n\ndata: [DONE]\n\n`
      await answer.piece(isSpeech ? Buffer.alloc(480) : said)
      answer.end()
    },
  })
  after(() => fake.stop())
  const vendor = vendorIn(folder)
  const choice = (options: object) => ({
    options: { base_url: fake.url, ...options },
    credentials: { api_key: 'k' },
  })
  const messages = [{ role: 'user' as const, text: 'Hello' }]
  const model = await vendor?.model(choice({ max_output_tokens: 9 }))
  const [thought] = await Array.fromAsync(model?.think({ messages }, AbortSignal.timeout(5_000)) ?? [])
  assert.deepEqual(thought, { type: 'text', text: 'Hi.' })
  const voice = await vendor?.voice(choice({}))
  assert.equal((await Array.fromAsync(voice?.speak('hello', AbortSignal.timeout(5_000)) ?? [])).length, 1)
  assert.deepEqual(
    fake.seen.map(({ url }) => url.pathname),
    ['/chat/completions', '/audio/speech'],
  )
  const asked = JSON.parse(String(fake.seen[0]?.body)) as Record<string, unknown>
  assert.deepEqual(
    [asked['model'], asked['reasoning_effort'], asked['max_completion_tokens']],
    ['gpt-6-luna', 'none', 9],
  )
  const refused = { kind: 'refused', message: 'api is responses or chat, not telex' }
  await assert.rejects(async () => vendor?.model(choice({ api: 'telex' })), refused)
})
