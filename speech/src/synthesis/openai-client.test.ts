import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import OpenAI, {
  APIError,
  AuthenticationError,
  InternalServerError,
  RateLimitError,
  type ClientOptions,
} from 'openai'
import type { SpeechCreateParams } from 'openai/resources/audio/speech'
import { changeRow, speakOverHttp } from '@switchroom/gateway/testing/providers/vendors'
import { startVoiceDeployment } from '../../testing/voice-deployment.ts'
import { VoiceWire } from '../../testing/voice-wire.ts'

const voice = await startVoiceDeployment({
  SVC_PROVIDER_KEY_OPENAI: 'platform-mark-0123456789',
  SVC_RATE_SPEECH: '30',
})
after(() => voice[Symbol.asyncDispose]())
const { deployment } = voice
const wire = await new VoiceWire().start()
after(() => wire.stop())
before(() => changeRow(deployment, (row) => speakOverHttp(row, wire.url)))

async function official(options: ClientOptions = {}): Promise<OpenAI> {
  const { key } = await voice.caller()
  return new OpenAI({ baseURL: `${voice.url}/v1`, apiKey: key ?? null, maxRetries: 0, ...options })
}

const wanted: SpeechCreateParams = { input: 'Hello there.', voice: 'openai/coral', model: 'openai/tts-1' }

test('the official client gets every form we make (S-299, S-318)', async () => {
  const client = await official()
  wire.answer = (response) => void response.end(Buffer.alloc(48_000))
  for (const response_format of ['pcm', 'wav', 'mp3'] as const) {
    const answer = await client.audio.speech.create({ ...wanted, response_format, speed: 1.25 })
    assert.equal(answer.status, 200)
    const bytes = Buffer.from(await answer.arrayBuffer())
    if (response_format === 'pcm') assert.equal(bytes.length, 32_000, 'a second at 16000')
    if (response_format === 'wav') assert.equal(bytes.toString('latin1', 0, 4), 'RIFF')
    if (response_format === 'mp3') assert.equal(bytes.readUInt16BE(0) & 0xff_e0, 0xff_e0)
  }
  const documented = { ...wanted, response_format: 'pcm', sample_rate: 24_000 } as SpeechCreateParams
  const answer = await client.audio.speech.create(documented)
  assert.equal((await answer.arrayBuffer()).byteLength, 48_000, 'at the 24000 that its documentation says')
})

test('the official client reads the sound as it is made (S-305)', async () => {
  const client = await official()
  let end: () => void = () => {}
  wire.answer = (response) => {
    response.write(Buffer.alloc(24_000))
    end = () => response.end(Buffer.alloc(24_000))
  }
  const answer = await client.audio.speech.create({ ...wanted, response_format: 'pcm' })
  const reader = answer.body?.getReader()
  let bytes = (await reader?.read())?.value?.length ?? 0
  assert.ok(bytes > 0 && bytes <= 16_000)
  end()
  for (let next = await reader?.read(); !next?.done; next = await reader?.read())
    bytes += next?.value?.length ?? 0
  assert.equal(bytes, 32_000)
})

test('the official client throws our refusals as its own errors (S-436, S-445, S-452)', async () => {
  const client = await official()
  const table: [Partial<SpeechCreateParams>, number, string][] = [
    [{ input: '' }, 400, '`input` is blank: there is nothing to say'],
    [
      { input: 'x'.repeat(5_001) },
      413,
      '`input` is at most 5000 characters and this one has 5001: say it in parts',
    ],
    [{ model: 'tts-1' }, 400, '`model` is provider/model or provider/auto'],
    [{ voice: 'nosuch', model: 'local/espeak' }, 400, '`voice`: local has no voice nosuch'],
    [{ response_format: 'opus' }, 400, '`response_format` is one of pcm, wav, mp3: opus is none of them'],
  ]
  const thrown = (asked: Partial<SpeechCreateParams>, by = client) =>
    by.audio.speech.create({ ...wanted, ...asked }).then(
      () => assert.fail('it was not refused'),
      (error: unknown) => error,
    )
  for (const [change, status, sentence] of table) {
    const error = await thrown(change)
    assert.ok(error instanceof APIError)
    assert.equal(error.status, status)
    assert.equal(error.message, `${status} "${sentence}"`)
  }
  const stranger = await thrown({}, await official({ apiKey: 'svc_live_nobody' }))
  assert.ok(stranger instanceof AuthenticationError)
  wire.answer = (response) => void response.writeHead(500).end()
  const broken = await thrown({})
  assert.ok(broken instanceof InternalServerError)
  assert.equal(broken.status, 502)
})

test('the official client tries again by itself after a vendor failed (S-452)', async () => {
  const client = await official({ maxRetries: 2 })
  const asked = wire.asked
  wire.answer = (response) =>
    void (wire.asked === asked + 1 ? response.writeHead(500).end() : response.end(Buffer.alloc(4_800)))
  const answer = await client.audio.speech.create(wanted)
  assert.equal(answer.status, 200)
  await answer.arrayBuffer()
  assert.equal(wire.asked, asked + 2)
})

test('the official client waits as long as a 429 says (S-451, SD-68)', async () => {
  wire.answer = (response) => void response.end(Buffer.alloc(4_800))
  const { key = '' } = await voice.caller()
  const options = { baseURL: `${voice.url}/v1`, apiKey: key }
  const impatient = new OpenAI({ ...options, maxRetries: 0 })
  const limited = async () => {
    for (;;) await (await impatient.audio.speech.create(wanted)).arrayBuffer()
  }
  const error = await limited().catch((thrown: unknown) => thrown)
  assert.ok(error instanceof RateLimitError)
  const secondsLeft = Number(error.headers.get('retry-after'))
  assert.ok(secondsLeft > 30 && secondsLeft <= 60, `${secondsLeft} s`)
  deployment.clock.forward((secondsLeft - 2) * 1_000)
  const tries: { at: number; waitMs: number }[] = []
  const watching: ClientOptions['fetch'] = async (url, init) => {
    const answer = await fetch(url, init)
    tries.push({ at: performance.now(), waitMs: Number(answer.headers.get('retry-after')) * 1_000 })
    return answer
  }
  const patient = new OpenAI({ ...options, maxRetries: 3, fetch: watching })
  assert.equal((await patient.audio.speech.create(wanted)).status, 200)
  const [first, second] = tries
  assert.ok(first && second && second.at - first.at >= first.waitMs * 0.9 && first.waitMs > 0)
})
