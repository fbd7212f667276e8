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
import { until } from '@switchroom/gateway/testing/until'
import { missing } from '@switchroom/tools/debian-packages'
import { decodedByFfmpeg, soundingSeconds, tonePcm } from '../../testing/decoded-sound.ts'
import { eventsIn } from '../../testing/server-events.ts'
import { refusedWith, startVoiceDeployment } from '../../testing/voice-deployment.ts'
import { VoiceWire } from '../../testing/voice-wire.ts'

const voice = await startVoiceDeployment({
  SVC_PROVIDER_KEY_OPENAI: 'platform-mark-0123456789',
  SVC_RATE_SPEECH: '40',
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

test('the official client gets every form, mp3 unless it says another, and no sound is lost', async () => {
  const client = await official()
  wire.answer = (response) => void response.end(tonePcm(24_000, 1))
  const types = {
    mp3: 'audio/mpeg',
    opus: 'audio/ogg',
    aac: 'audio/aac',
    flac: 'audio/flac',
    wav: 'audio/wav',
    pcm: 'audio/pcm',
  }
  for (const response_format of [undefined, 'mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const) {
    const answer = await client.audio.speech.create({
      ...wanted,
      speed: 1.25,
      ...(response_format && { response_format }),
    })
    assert.equal(answer.headers.get('content-type'), types[response_format ?? 'mp3'])
    const bytes = Buffer.from(await answer.arrayBuffer())
    if (response_format === 'pcm')
      assert.equal(bytes.length, 48_000, 'a second at the 24000 that it documents')
    else if (missing('ffmpeg') === false) {
      const { codec, rate, samples } = decodedByFfmpeg(bytes)
      assert.equal(codec, response_format === 'wav' ? 'pcm_s16le' : (response_format ?? 'mp3'))
      const seconds = soundingSeconds(samples, rate)
      assert.ok(seconds >= 0.97 && samples.length / rate < 1.2, `${response_format}: ${seconds} s`)
    }
  }
  const slower = { ...wanted, response_format: 'pcm', sample_rate: 16_000 } as SpeechCreateParams
  assert.equal((await (await client.audio.speech.create(slower)).arrayBuffer()).byteLength, 32_000)
})

test("OpenAI's names of models and voices are taken, and what they ask for is OpenAI's form, whoever sends it", async () => {
  const client = await official()
  wire.answer = (response) => void response.end(tonePcm(24_000, 0.5))
  for (const model of ['tts-1', 'tts-1-hd', 'gpt-4o-mini-tts', 'gpt-4o-mini-tts-2025-12-15']) {
    const asked = wire.asked
    const answer = await client.audio.speech.create({ input: 'Hello.', model, voice: 'verse' })
    assert.equal(answer.headers.get('content-type'), 'audio/mpeg')
    assert.ok((await answer.arrayBuffer()).byteLength > 1_000)
    assert.equal(wire.asked, asked + 1, 'openai itself, which has a key here')
  }
  const custom = await client.audio.speech.create({ input: 'Hello.', model: 'tts-1', voice: { id: 'nova' } })
  assert.equal(custom.status, 200)
  const plain = await voice.caller()
  const byName = await plain.speech({ input: 'Hello.', model: 'tts-1', voice: 'alloy' })
  assert.equal(byName.headers.get('content-type'), 'audio/mpeg')
  const ours = await plain.speech({ input: 'Hello.', model: 'openai/gpt-4o-mini-tts', voice: 'openai/coral' })
  assert.equal(ours.headers.get('content-type'), 'audio/pcm', 'in our own form the default stays')
})

test('speech comes as events, whose sound is the same and which end with done', async () => {
  const client = await official()
  wire.answer = (response) => void response.end(tonePcm(24_000, 1))
  const asked = { ...wanted, model: 'tts-1', stream_format: 'sse', response_format: 'pcm' } as const
  const answer = await client.audio.speech.create(asked)
  assert.equal(answer.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  const events = eventsIn(await answer.text())
  assert.deepEqual(new Set(events.slice(0, -1).map(({ type }) => type)), new Set(['speech.audio.delta']))
  const sound = Buffer.concat(events.slice(0, -1).map(({ audio }) => Buffer.from(String(audio), 'base64')))
  assert.deepEqual(sound, tonePcm(24_000, 1))
  const usage = { input_tokens: 12, output_tokens: 0, total_tokens: 12 }
  assert.deepEqual(events.at(-1), { type: 'speech.audio.done', usage })
})

test('events of a vendor that breaks off end with an error and without done', async () => {
  const client = await official()
  wire.answer = (response) => {
    response.write(tonePcm(24_000, 0.5))
    setTimeout(() => response.destroy(), 100)
  }
  const answer = await client.audio.speech.create({ ...wanted, stream_format: 'sse' })
  const events = eventsIn(await answer.text())
  const { type, error, code } = events.at(-1) ?? {}
  assert.deepEqual([type, code], ['error', 'UPSTREAM_ERROR'])
  assert.match((error as { message: string }).message, /^openai did not answer: /)
  assert.equal(
    events.some((event) => event['type'] === 'speech.audio.done'),
    false,
  )
})

for (const asked of [
  { response_format: 'aac' },
  { response_format: 'flac' },
  { stream_format: 'sse' },
] as const)
  test(`a client that leaves cancels the vendor (${Object.values(asked).join('')})`, async () => {
    const client = await official()
    const cancelled = wire.cancelledAt.length
    wire.answer = (response) => {
      const say = () => {
        while (!response.destroyed && response.write(tonePcm(24_000, 1)));
      }
      response.on('drain', say)
      say()
    }
    const leaving = new AbortController()
    const input = 'x'.repeat(5_000)
    const answer = await client.audio.speech.create(
      { ...wanted, ...asked, input },
      { signal: leaving.signal },
    )
    const reader = answer.body?.getReader()
    assert.ok((await reader?.read())?.value)
    leaving.abort()
    await until('the vendor is cancelled', () => wire.cancelledAt.length > cancelled && wire.open === 0)
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
  assert.ok(bytes > 0 && bytes <= 24_000)
  end()
  for (let next = await reader?.read(); !next?.done; next = await reader?.read())
    bytes += next?.value?.length ?? 0
  assert.equal(bytes, 48_000)
})

test('the official client reads our refusals as its own errors, with their code and the field (S-436, S-445, S-452)', async () => {
  const client = await official()
  const table: [Partial<SpeechCreateParams>, number, string, string | null, string][] = [
    [{ input: '' }, 400, 'bad_request', 'input', '`input` is blank: there is nothing to say'],
    [
      { input: 'x'.repeat(5_001) },
      413,
      'input_too_long',
      'input',
      '`input` is at most 5000 characters and this one has 5001: say it in parts',
    ],
    [{ model: 'gpt-9' }, 400, 'model_not_found', 'model', '`model` is provider/model or provider/auto'],
    [
      { voice: 'nosuch', model: 'local/espeak' },
      400,
      'bad_voice',
      'voice',
      '`voice`: local has no voice nosuch',
    ],
    [
      { response_format: 'ogg' as 'mp3' },
      400,
      'format_unsupported',
      'response_format',
      '`response_format` is one of pcm, wav, mp3, opus, aac, flac: ogg is none of them',
    ],
    [{ stream_format: 'x' as 'sse' }, 400, 'bad_request', 'stream_format', '`stream_format` is audio or sse'],
    [
      { stream_format: 'sse', timestamps: true } as Partial<SpeechCreateParams>,
      400,
      'bad_request',
      'stream_format',
      '`stream_format`: ask for these events or for `timestamps`, and not for both',
    ],
  ]
  const thrown = (asked: Partial<SpeechCreateParams>, by = client) =>
    by.audio.speech.create({ ...wanted, ...asked }).then(
      () => assert.fail('it was not refused'),
      (error: unknown) => error,
    )
  for (const [change, status, code, param, sentence] of table) {
    const error = await thrown(change)
    assert.ok(error instanceof APIError)
    assert.equal(error.message, `${status} ${sentence}`)
    assert.deepEqual([error.status, error.code, error.param], [status, code, param])
    assert.equal(error.type, 'invalid_request_error')
    assert.match(error.requestID ?? '', /^req_[0-9a-f]{24}$/)
  }
  const stranger = await thrown({}, await official({ apiKey: 'svc_live_nobody' }))
  assert.ok(stranger instanceof AuthenticationError)
  assert.equal(stranger.code, 'invalid_api_key')
  wire.answer = (response) => void response.writeHead(500).end()
  const broken = await thrown({})
  assert.ok(broken instanceof InternalServerError)
  assert.deepEqual([broken.status, broken.code, broken.type], [502, 'upstream_error', 'server_error'])
})

test('a refusal in our own form stays as the documents say, and the other form has our code beside (S-300, S-436, S-440)', async () => {
  const caller = await voice.caller()
  const asked = { ...wanted, response_format: 'opus' }
  const sentence = '`response_format` is one of pcm, wav, mp3: opus is none of them'
  refusedWith(await caller.speech(asked), 400, 'FORMAT_UNSUPPORTED', sentence)
  const { body } = await caller.speech({ ...asked, model: 'tts-1', response_format: 'ogg' })
  assert.equal(body.code, 'FORMAT_UNSUPPORTED')
  assert.equal(body.error.code, 'format_unsupported')
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
