import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { AssemblyAI, type StreamingTranscriber, type TurnEvent } from 'assemblyai'
import { startWireFake } from '@switchroom/kit/testing/wire-fake'
import { wavOf } from '@switchroom/audio/wav'
import { assemblyAiWire } from '../testing/wire.ts'

async function clientIn(t: TestContext) {
  const fake = await startWireFake(assemblyAiWire())
  t.after(() => fake.stop())
  const client = new AssemblyAI({ apiKey: 'key-of-a-test', baseUrl: fake.url })
  const websocketBaseUrl = `${fake.url.replace('http', 'wss')}/v3/ws`
  return { fake, client, live: { ...liveParameters, websocketBaseUrl } }
}

/** Its client takes no address but `wss:`, and the fake has no certificate: all else of it stays as it is. */
function withoutTls(transcriber: StreamingTranscriber): StreamingTranscriber {
  const inner = transcriber as unknown as { connectionUrl(): URL }
  const addressOf = inner.connectionUrl.bind(transcriber)
  inner.connectionUrl = () => {
    const url = addressOf()
    url.protocol = 'ws:'
    return url
  }
  return transcriber
}

const liveParameters = {
  sampleRate: 16_000,
  encoding: 'pcm_s16le',
  speechModel: 'universal-streaming-multilingual',
  languageDetection: true,
  connectTimeout: 10_000,
  maxConnectionRetries: 0,
} as const

test("the vendor's own client is heard in turns by the fake", async (t) => {
  const { client, live } = await clientIn(t)
  const transcriber = withoutTls(client.streaming.transcriber(live))
  const turns: TurnEvent[] = []
  const ended = new Promise<void>((resolve) =>
    transcriber.on('turn', (turn) => {
      turns.push(turn)
      if (turn.end_of_turn) resolve()
    }),
  )
  const { id } = await transcriber.connect()
  assert.equal(id, 'a-session')
  transcriber.sendAudio(new Uint8Array(3_200).buffer)
  transcriber.forceEndpoint()
  await ended
  await transcriber.close()
  assert.deepEqual(
    turns.map((turn) => [turn.end_of_turn, turn.transcript, turn.words[0]?.text, turn.language_code]),
    [
      [false, '', 'hola', undefined],
      [true, 'hola', 'hola', 'es'],
    ],
  )
})

test("the vendor's own client has a recording transcribed by the fake", async (t) => {
  const { client } = await clientIn(t)
  const { status, text, language_code, utterances } = await client.transcripts.transcribe(
    {
      audio: Buffer.from(wavOf(new Uint8Array(3_200), 16_000)),
      speech_models: ['universal-2'],
      language_detection: true,
      speaker_labels: true,
    },
    { pollingInterval: 1 },
  )
  assert.deepEqual([status, text, language_code], ['completed', 'Hello there. Hi.', 'en_us'])
  assert.deepEqual(
    utterances?.map(({ speaker, text: said }) => [speaker, said]),
    [
      ['B', 'Hello there.'],
      ['A', 'Hi.'],
    ],
  )
})

test("the vendor's own client reads the refusals of the fake, on the socket and over HTTP", async (t) => {
  const { fake, client, live } = await clientIn(t)
  fake.mode = 'refuse'
  await assert.rejects(withoutTls(client.streaming.transcriber(live)).connect(), {
    message: 'the fake says no',
    code: 1008,
  })
  await assert.rejects(client.files.upload(Buffer.from('no sound')), { message: 'the fake says no' })
})
