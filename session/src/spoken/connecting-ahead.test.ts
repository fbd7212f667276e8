import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import type { WorkerConfig, WorkerKeys } from '@switchroom/contract/calls'
import type { CallInstructions } from '@switchroom/contract/worker'
import { findVendors } from '@switchroom/kit/installed'
import { keepConnectionsIn } from '@switchroom/kit/testing/kept-dispatcher'
import { trustedCertificate } from '@switchroom/kit/testing/trusted-certificate'
import { startWireFake, type HttpAnswer } from '@switchroom/kit/testing/wire-fake'
import { samplesIn, speech } from '../../testing/scripted-sound.ts'
import { ScriptedTranscriber } from '../../testing/scripted-vendors.ts'
import { SpokenTalk } from '../../testing/spoken-talk.ts'
import { spokenSetup } from '../setup/spoken-setup.ts'

const refusal = (words: string) => ({ error: { message: words } })

async function think(answer: HttpAnswer) {
  const chunk = (choice: object) => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`
  answer.start({ 'content-type': 'text/event-stream' })
  await answer.piece(chunk({ delta: { content: 'It is three.' } }))
  await answer.piece(`${chunk({ delta: {}, finish_reason: 'stop' })}data: [DONE]\n\n`)
  answer.end()
}

async function speak(answer: HttpAnswer) {
  answer.start({ 'content-type': 'audio/pcm' })
  await answer.piece(Buffer.alloc(2 * 12_000, 7))
  answer.end()
}

/** A model and a voice over https on loopback, in a process that keeps connections. */
async function secureVendors(t: TestContext) {
  keepConnectionsIn(t, 60_000)
  const certificate = await trustedCertificate(t)
  const model = await startWireFake({ refusal, http: (_seen, answer) => think(answer) }, certificate)
  t.after(() => model.stop())
  const voice = await startWireFake({ refusal, http: (_seen, answer) => speak(answer) }, certificate)
  t.after(() => voice.stop())
  return { model, voice }
}

const handed = (vendor: string, model: string) => ({
  vendor,
  model,
  key: 'lent' as const,
  credentials: { api_key: 'key-of-a-test' },
  fallbacks: [],
})

const keys: WorkerKeys = {
  agent: 'support',
  call: null,
  stages: {
    llm: handed('openai', 'gpt-4.1-mini'),
    stt: handed('deepgram', 'nova-3'),
    tts: handed('openai', 'gpt-4o-mini-tts'),
  },
}

const app = {
  prompt: null,
  tools: [],
  facts: [],
  contact: null,
  send_audio_metrics: false,
  call: { metadata: {} },
} as unknown as CallInstructions

/** A call's vendors, set up as a worker does it. */
const setUpAt = (
  modelUrl: string,
  voiceUrl: string,
  from: CallInstructions | Promise<CallInstructions> = app,
) => {
  const stage = (vendor: string, model: string, base_url?: string) => ({
    vendor,
    model,
    builds: null,
    key: 'lent',
    options: base_url === undefined ? {} : { base_url },
    language: null,
    voice: null,
    end_of_turn: 'framework',
    temperature: null,
  })
  const settings = {
    config: {},
    lexicon: { said: [], heard: [] },
    stages: {
      llm: stage('openai', 'gpt-4.1-mini', modelUrl),
      stt: stage('deepgram', 'nova-3'),
      tts: stage('openai', 'gpt-4o-mini-tts', voiceUrl),
    },
  } as unknown as WorkerConfig
  return spokenSetup({
    vendors: findVendors(),
    settings,
    keys,
    app: from,
    search: () => assert.fail('nothing is looked up'),
    onBrokenVendor: assert.ifError,
  })
}

async function talkAt(model: { url: string }, voice: { url: string }, ...utterances: string[]) {
  const { models, voices } = await setUpAt(model.url, voice.url)
  const [first, speaker] = [models[0], voices[0]]
  assert.ok(first && speaker)
  return new SpokenTalk(first, new ScriptedTranscriber('transcriber', ...utterances), speaker)
}

const untilTrue = async (holds: () => boolean) => {
  const patience = AbortSignal.timeout(15_000)
  while (!holds()) {
    patience.throwIfAborted()
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

test('the first turn of a call does no handshake after the first sound of the caller', async (t) => {
  const { model, voice } = await secureVendors(t)
  const talk = await talkAt(model, voice, 'What time is it?')
  await untilTrue(() => model.handshakes === 1 && voice.handshakes === 1)
  assert.deepEqual([model.seen, voice.seen], [[], []]) // no vendor was asked anything
  talk.start()
  talk.sound.says(speech(900))
  assert.equal((await talk.until('agent.message'))['text'], 'It is three.')
  assert.ok(model.seen.length > 0 && voice.seen.length > 0)
  assert.deepEqual([model.handshakes, voice.handshakes], [1, 1])
  await talk.hangUp()
})

test('connections that were closed in a long silence are opened again while the caller speaks', async (t) => {
  const { model, voice } = await secureVendors(t)
  const talk = await talkAt(model, voice, 'What time is it?', 'And now?')
  talk.start()
  talk.sound.says(speech(900))
  await talk.until('agent.message')
  const asked = [model.seen.length, voice.seen.length]
  model.closeIdle()
  voice.closeIdle()
  // so long that the turn cannot end before the handshakes are done
  talk.sound.says(new Int16Array(samplesIn(500)))
  for (let n = 0; n < 4; n += 1) talk.sound.says(speech(1_500))
  await untilTrue(() => model.handshakes === 2 && voice.handshakes === 2)
  assert.deepEqual([model.seen.length, voice.seen.length], asked)
  await talk.hangUp()
})

test('the vendors are connected to before the app has said how it answers the call', async (t) => {
  const { model, voice } = await secureVendors(t)
  const slow = Promise.withResolvers<CallInstructions>()
  const setup = setUpAt(model.url, voice.url, slow.promise)
  await untilTrue(() => model.handshakes === 1 && voice.handshakes === 1)
  slow.resolve(app)
  assert.equal((await setup).models.length, 1)
})

test('vendors that hang in the handshake or are down do not hold a call up', async (t) => {
  keepConnectionsIn(t, 60_000)
  const hanging: Socket[] = []
  const server = createServer((socket) => void hanging.push(socket.on('error', () => {})))
  t.after(() => server.close())
  t.after(() => hanging.forEach((socket) => socket.destroy()))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const down = createServer()
  await once(down.listen(0, '127.0.0.1'), 'listening')
  const urlOf = (at: typeof server) => `https://127.0.0.1:${(at.address() as AddressInfo).port}`
  const [hangingUrl, downUrl] = [urlOf(server), urlOf(down)]
  await new Promise((resolve) => down.close(resolve))

  const { models, voices } = await setUpAt(hangingUrl, downUrl)
  assert.deepEqual([models.length, voices.length], [1, 1])
  await untilTrue(() => hanging.length === 1)
})
