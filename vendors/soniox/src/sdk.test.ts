import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SonioxNodeClient, type RealtimeToken } from '@soniox/node'
import { startWireFake, type WireFake } from '@switchroom/kit/testing/wire-fake'
import { wavOf } from '@switchroom/audio/wav'
import { sonioxWire } from '../testing/wire.ts'

const clientOf = ({ url }: WireFake) =>
  new SonioxNodeClient({
    api_key: 'key-of-a-test',
    base_url: url,
    realtime: { ws_base_url: `${url.replace('http', 'ws')}/transcribe-websocket` },
  })

const live = {
  model: 'stt-rt-v5',
  audio_format: 'pcm_s16le',
  sample_rate: 16_000,
  num_channels: 1,
  enable_endpoint_detection: true,
} as const

test("the vendor's own client is heard live by the fake", async (t) => {
  const fake = await startWireFake(sonioxWire())
  t.after(() => fake.stop())
  const session = clientOf(fake).realtime.stt(live)
  const tokens: RealtimeToken[] = []
  session.on('token', (token) => tokens.push(token))
  const finalized = new Promise<void>((resolve) => session.once('finalized', resolve))
  await session.connect()
  session.sendAudio(new Uint8Array(640))
  session.keepAlive()
  session.finalize()
  await finalized
  await session.finish()
  const certain = tokens.filter(({ is_final: isFinal }) => isFinal)
  assert.equal(certain.map(({ text }) => text).join(''), 'Bom dia. Olá')
  assert.equal(tokens[0]?.is_final, false)
  assert.deepEqual([certain[0]?.language, certain[0]?.speaker, certain[0]?.end_ms], ['pt', '2', 200])
})

test("the vendor's own client has a recording transcribed by the fake, and nothing of it stays there", async (t) => {
  const fake = await startWireFake(sonioxWire())
  t.after(() => fake.stop())
  const transcription = await clientOf(fake).stt.transcribe({
    model: 'stt-async-v5',
    file: Buffer.from(wavOf(new Uint8Array(3_200), 16_000)),
    filename: 'audio.wav',
    wait: true,
    cleanup: ['file', 'transcription'],
  })
  assert.equal(transcription.status, 'completed')
  assert.equal(transcription.audio_duration_ms, 1_200)
  assert.equal(transcription.transcript?.text, 'Bom dia. Olá')
  assert.equal(transcription.transcript?.tokens.length, 4)
  const deleted = fake.seen.filter(({ method }) => method === 'DELETE').map(({ url }) => url.pathname)
  assert.deepEqual(deleted, ['/v1/files/a-file', '/v1/transcriptions/a-job'])
})

test("the vendor's own client reads the refusals of the fake, live and of a recording", async (t) => {
  const fake = await startWireFake(sonioxWire())
  t.after(() => fake.stop())
  fake.mode = 'refuse'
  const session = clientOf(fake).realtime.stt(live)
  const error = new Promise<Error>((resolve) => session.once('error', resolve))
  await session.connect()
  assert.deepEqual([(await error).name, (await error).message], ['AuthError', 'the fake says no'])
  const refused = clientOf(fake).files.upload(Buffer.from('no sound'))
  await assert.rejects(refused, { statusCode: 400, bodyText: /the fake says no/ })
})
