import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GladiaClient, type LiveV2WebSocketMessage } from '@gladiaio/sdk'
import { startWireFake, type WireFake } from '@switchroom/kit/testing/wire-fake'
import { wavOf } from '@switchroom/audio/wav'
import { gladiaWire } from '../testing/wire.ts'

const clientOf = (fake: WireFake) =>
  new GladiaClient({ apiKey: 'key-of-a-test', apiUrl: fake.url, wsRetry: { maxAttemptsPerConnection: 1 } })

const liveOptions = { encoding: 'wav/pcm', sample_rate: 16_000, bit_depth: 16, channels: 1 } as const

test("the vendor's own client is heard live by the fake", async (t) => {
  const fake = await startWireFake(gladiaWire())
  t.after(() => fake.stop())
  const session = clientOf(fake)
    .liveV2()
    .startSession({
      ...liveOptions,
      model: 'solaria-1',
      messages_config: { receive_partial_transcripts: true, receive_lifecycle_events: true },
    })
  const messages: LiveV2WebSocketMessage[] = []
  session.on('message', (message) => messages.push(message))
  const ended = new Promise<{ code: number }>((resolve) => session.once('ended', resolve))
  session.once('connected', () => {
    session.sendAudio(new Uint8Array(640))
    session.stopRecording()
  })
  assert.equal((await ended).code, 1000)
  assert.equal(session.sessionId, 'a-session')
  const transcripts = messages.flatMap((message) => (message.type === 'transcript' ? [message.data] : []))
  assert.deepEqual(
    transcripts.map(({ is_final, utterance }) => [is_final, utterance.text, utterance.language]),
    [
      [false, 'Bonjour monde', 'fr'],
      [true, 'Bonjour monde', 'fr'],
    ],
  )
  assert.equal(messages.at(-1)?.type, 'end_session')
})

test("the vendor's own client has a recording transcribed by the fake", async (t) => {
  const fake = await startWireFake(gladiaWire())
  t.after(() => fake.stop())
  const recording = new Blob([Buffer.from(wavOf(new Uint8Array(3_200), 16_000))], { type: 'audio/wav' })
  const { result } = await clientOf(fake)
    .preRecorded()
    .transcribe(recording, { model: 'solaria-1', diarization: true }, { interval: 1 })
  assert.equal(result?.transcription?.full_transcript, 'Bonjour monde Salut toi')
  assert.deepEqual(
    result?.transcription?.utterances.map(({ text, speaker }) => [text, speaker]),
    [
      ['Bonjour monde', 1],
      ['Salut toi', 0],
    ],
  )
  assert.equal(result?.metadata.audio_duration, 2.5)
})

test("the vendor's own client reads the refusals of the fake, live and of a recording", async (t) => {
  const fake = await startWireFake(gladiaWire())
  t.after(() => fake.stop())
  fake.mode = 'refuse'
  const session = clientOf(fake).liveV2().startSession(liveOptions)
  const error = await new Promise<Error>((resolve) => session.once('error', resolve))
  assert.match(error.message, /^the fake says no \| G-1 \| 400/)
  const refused = clientOf(fake)
    .preRecorded()
    .uploadFile(new Blob(['no sound']))
  await assert.rejects(refused, { name: 'HttpError', status: 400, message: /^the fake says no/ })
})
