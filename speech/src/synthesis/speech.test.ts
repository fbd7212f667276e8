import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { changeRow, speakOverHttp, startSpeechFake } from '@switchroom/gateway/testing/providers/vendors'
import { until } from '@switchroom/gateway/testing/until'
import { startVoiceDeployment } from '../../testing/voice-deployment.ts'

const voice = await startVoiceDeployment({ SVC_PROVIDER_KEY_OPENAI: 'platform-mark-0123456789' })
after(() => voice[Symbol.asyncDispose]())
const { deployment } = voice

/** Held back by a test that wants to see what comes before the end. */
let rest = Promise.resolve()
const level = 1_000
const sayings = [
  { pieces: 5, bytes: 4_800 }, // half a second at 24000
]
const fake = await startSpeechFake(async (_request, answer) => {
  answer.start({ 'content-type': 'audio/pcm' })
  for (const { pieces, bytes } of sayings)
    for (let at = 0; at < pieces; at += 1) {
      await answer.piece(new Uint8Array(new Int16Array(bytes / 2).fill(level).buffer))
      await rest
    }
  answer.end()
})
after(() => fake.stop())
before(() => changeRow(deployment, (row) => speakOverHttp(row, fake.url)))

const wanted = { input: 'Hello.', voice: 'openai/coral' }
const lastAsked = () => JSON.parse(fake.seen.at(-1)?.body.toString() ?? '{}') as Record<string, unknown>

test('with no agent and no call a text becomes audio, pcm at 16000 if nothing else is asked for (S-002, S-013, S-286, S-300, S-302, S-304, S-306, S-307, S-310, S-319, S-458)', async () => {
  const answer = await (await voice.caller()).speech(wanted)
  assert.equal(answer.status, 200, answer.bytes.toString())
  const { headers, bytes } = answer
  assert.equal(headers.get('content-type'), 'audio/pcm')
  assert.deepEqual(
    ['x-sample-rate', 'x-channels', 'x-bit-depth'].map((name) => headers.get(name)),
    ['16000', '1', '16'],
  )
  assert.match(headers.get('x-svc-request-id') ?? '', /^req_[0-9a-f]{24}$/)
  assert.equal(bytes.length, 2 * 8_000, 'half a second')
})

test('pcm and wav are signed 16-bit little-endian mono at the rate asked for (S-299, S-301, S-302, S-308, ST-093, SD-71)', async () => {
  const caller = await voice.caller()
  for (const sample_rate of [16_000, 24_000]) {
    const pcm = await caller.speech({ ...wanted, sample_rate, response_format: 'pcm' })
    assert.equal(pcm.headers.get('x-sample-rate'), String(sample_rate))
    assert.equal(pcm.bytes.length, sample_rate, 'half a second, two bytes a sample')
    const middle = pcm.bytes.readInt16LE(sample_rate / 2)
    assert.ok(Math.abs(middle - level) <= 1, `a steady level of ${level} is ${middle}`)

    const wav = await caller.speech({ ...wanted, sample_rate, response_format: 'wav' })
    assert.equal(wav.headers.get('content-type'), 'audio/wav')
    assert.equal(wav.headers.get('x-sample-rate'), null)
    const { bytes } = wav
    assert.deepEqual(
      [bytes.toString('latin1', 0, 4), bytes.toString('latin1', 8, 16), bytes.toString('latin1', 36, 40)],
      ['RIFF', 'WAVEfmt ', 'data'],
    )
    const [format, channels, bits] = [20, 22, 34].map((at) => bytes.readUInt16LE(at))
    assert.deepEqual([format, channels, bits, bytes.readUInt32LE(24)], [1, 1, 16, sample_rate])
    assert.deepEqual([bytes.readUInt32LE(4), bytes.readUInt32LE(40)], [0xff_ff_ff_ff, 0xff_ff_ff_ff])
    assert.deepEqual(bytes.subarray(44), pcm.bytes)
  }
})

test('mp3 is MPEG audio of the same length (S-299, S-309, ST-093)', async () => {
  const caller = await voice.caller()
  const { default: decode } = await import('@audio/decode')
  for (const sample_rate of [16_000, 24_000]) {
    const mp3 = await caller.speech({ ...wanted, sample_rate, response_format: 'mp3' })
    assert.equal(mp3.headers.get('content-type'), 'audio/mpeg')
    assert.equal(mp3.headers.get('x-sample-rate'), null)
    assert.equal(mp3.bytes.readUInt16BE(0) & 0xff_e0, 0xff_e0, 'it begins with a frame')
    const { channelData, sampleRate } = await decode(mp3.bytes)
    assert.equal(sampleRate, sample_rate)
    assert.equal(channelData.length, 1)
    const seconds = (channelData[0]?.length ?? 0) / sampleRate
    assert.ok(seconds >= 0.5 && seconds < 0.7, `half a second is ${seconds}`)
  }
})

test('the answer is chunked and leaves as the vendor makes it (S-305, ST-094)', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  rest = promise
  const caller = await voice.caller()
  for (const response_format of ['pcm', 'wav', 'mp3']) {
    const answer = await caller.speak({ ...wanted, response_format })
    assert.equal(answer.headers.get('transfer-encoding'), 'chunked')
    const reader = answer.body?.getReader()
    const first = await reader?.read()
    assert.ok(first?.value && first.value.length > 0, `${response_format} comes before the vendor finished`)
    await reader?.cancel()
  }
  resolve()
})

test('characters are code points, reported in a header; the length of the audio is not known yet (S-311, ST-091, SD-70, SD-71)', async () => {
  const caller = await voice.caller()
  const answer = await caller.speech({ ...wanted, input: '😀'.repeat(5_000) })
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('x-svc-characters'), '5000')
  assert.equal(answer.headers.get('x-svc-audio-ms'), null)
})

test('a voice goes by its alias or by its id, a model by name, by auto or not at all (S-293, S-294, S-295, S-296, S-318)', async () => {
  const caller = await voice.caller()
  const asked = async (change: object) => {
    const answer = await caller.speech({ ...wanted, ...change })
    assert.equal(answer.status, 200, answer.bytes.toString())
    const { model, voice: id } = lastAsked()
    return [model, id]
  }
  const { body } = await caller.get('/v1/audio/voices?provider=openai')
  const { id, alias } = body.voices[0]
  assert.deepEqual(await asked({ voice: `openai/${alias}` }), ['gpt-realtime-2.1-mini', id])
  assert.deepEqual(await asked({ voice: id }), ['gpt-realtime-2.1-mini', id])
  assert.deepEqual(await asked({ voice: id, model: 'openai/auto' }), ['gpt-realtime-2.1-mini', id])
  assert.deepEqual(await asked({ model: 'openai/tts-1' }), ['tts-1', 'coral'])
  const five = { input: 'Hi.', voice: id, model: 'openai/tts-1', response_format: 'mp3', speed: 1 }
  assert.equal((await caller.speech(five)).status, 200)
})

test('a speed is handed to the vendor (S-303, SD-70)', async () => {
  const caller = await voice.caller()
  assert.equal((await caller.speech({ ...wanted, speed: 1.5 })).status, 200)
  assert.equal(lastAsked()['speed'], 1.5)
  for (const speed of [0.25, 4]) assert.equal((await caller.speech({ ...wanted, speed })).status, 200)
})

test('a language is two letters (S-298)', async () => {
  const caller = await voice.caller()
  for (const language of ['es', 'en', 'pt'])
    assert.equal((await caller.speech({ ...wanted, language })).status, 200)
})

test('Accept is not enforced, and a key of either environment opens it (S-313, SD-67, SD-70)', async () => {
  const org = await deployment.newOrg()
  for (const env of ['sandbox', 'production'] as const) {
    const { key } = await org.serverToken(env, { scopes: ['calls'] })
    for (const accept of ['audio/*', 'application/octet-stream', 'application/json', 'text/event-stream'])
      for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
        const headers = { authorization: `${scheme} ${key}`, accept, 'content-type': 'application/json' }
        const answer = await voice.anonymous.speak(wanted, { headers })
        assert.equal(answer.status, 200)
        assert.equal(answer.headers.get('content-type'), 'audio/pcm')
        await answer.arrayBuffer()
      }
  }
})

test('speech on the platform is paid by the character, once it is said; on a key of the own it is not (S-370, S-372, SD-66)', async () => {
  const org = await deployment.newOrg()
  const caller = await voice.caller(org)
  const had = await voice.creditsOf(org)
  await caller.speech({ ...wanted, input: 'x'.repeat(100) })
  const cost = await until('it is paid', async () => had - (await voice.creditsOf(org)))
  await caller.speech({ ...wanted, input: 'x'.repeat(300) })
  await until('three times as much', async () => had - (await voice.creditsOf(org)) >= 3.99 * cost)

  const { client } = await org.person('admin')
  assert.equal((await client.put('/v1/provider-keys/openai', { key: 'own-mark' })).status, 200)
  const left = await voice.creditsOf(org)
  assert.equal((await caller.speech(wanted)).status, 200)
  assert.equal(fake.seen.at(-1)?.headers.authorization, 'Bearer own-mark')
  assert.equal(await voice.creditsOf(org), left)
})
