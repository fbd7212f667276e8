import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { DeepgramClient, DeepgramError } from '@deepgram/sdk'
import { startWireFake } from '@switchroom/kit/testing/wire-fake'
import { wavOf } from '@switchroom/audio/wav'
import { deepgramWire } from '../testing/wire.ts'

async function clientIn(t: TestContext) {
  const fake = await startWireFake(deepgramWire())
  t.after(() => fake.stop())
  const sockets = fake.url.replace('http', 'ws')
  const environment = { base: fake.url, production: sockets, agent: sockets, agentRest: fake.url }
  return { fake, client: new DeepgramClient({ apiKey: 'key-of-a-test', environment, maxRetries: 0 }) }
}

const Authorization = 'Token key-of-a-test'
const audio = { encoding: 'linear16', sample_rate: 16_000, Authorization, reconnectAttempts: 0 } as const

test("the vendor's own client is heard live by the fake", async (t) => {
  const { client } = await clientIn(t)
  const socket = await client.listen.v1.connect({ ...audio, model: 'nova-3', language: 'multi' })
  const heard: [boolean, string, string[] | undefined][] = []
  const over = new Promise<void>((resolve) => socket.on('close', () => resolve()))
  socket.on('message', (message) => {
    if (message.type === 'Results') {
      const [best] = message.channel.alternatives
      heard.push([message.is_final === true, best?.transcript ?? '', best?.languages])
      if (message.from_finalize) socket.sendCloseStream({ type: 'CloseStream' })
    }
  })
  socket.connect()
  await socket.waitForOpen()
  socket.sendMedia(new Uint8Array(640))
  socket.sendKeepAlive({ type: 'KeepAlive' })
  socket.sendFinalize({ type: 'Finalize' })
  await over
  assert.deepEqual(heard, [
    [false, 'Hello', undefined],
    [true, '', undefined],
    [true, 'Hello there.', ['en']],
    [true, 'Goodbye.', ['en']],
  ])
})

test("the vendor's own client is heard in turns by the fake", async (t) => {
  const { client } = await clientIn(t)
  const socket = await client.listen.v2.connect({ ...audio, model: 'flux-general-multi' })
  const heard: string[] = []
  const over = new Promise<void>((resolve) => socket.on('close', () => resolve()))
  socket.on('message', (message) => {
    if (message.type === 'Connected') {
      socket.sendMedia(new Uint8Array(2_560))
      socket.sendForceEndTurn({ type: 'ForceEndTurn' })
    } else if (message.type === 'TurnInfo') {
      heard.push(`${message.event}: ${message.transcript}`)
      if (message.trigger === 'manual') socket.sendCloseStream({ type: 'CloseStream' })
    }
  })
  socket.connect()
  await over
  assert.deepEqual(heard.slice(1, 7), [
    'StartOfTurn: Book',
    'Update: Book',
    'EagerEndOfTurn: Book it',
    'TurnResumed: Book it',
    'Update: Book it please',
    'EndOfTurn: Book it please',
  ])
})

test("the vendor's own client has a recording transcribed by the fake", async (t) => {
  const { client } = await clientIn(t)
  const recording = Buffer.from(wavOf(new Uint8Array(3_200), 16_000))
  const answer = await client.listen.v1.media.transcribeFile(recording, {
    model: 'nova-3',
    detect_language: true,
    utterances: true,
  })
  assert.ok('results' in answer)
  const [channel] = answer.results.channels
  assert.equal(channel?.detected_language, 'en')
  assert.equal(channel?.alternatives?.[0]?.transcript, 'Hello there. Goodbye.')
  assert.deepEqual(
    answer.results.utterances?.map(({ transcript, speaker }) => [transcript, speaker]),
    [
      ['Hello there.', 1],
      ['Goodbye.', 0],
    ],
  )
})

test("the vendor's own client hears the fake speak", async (t) => {
  const { client } = await clientIn(t)
  const answer = await client.speak.v1.audio.generate({
    text: 'hello there',
    model: 'aura-2-thalia-en',
    encoding: 'linear16',
    container: 'none',
    sample_rate: 24_000,
  })
  const stream = answer.stream()
  assert.ok(stream)
  const pieces = await Array.fromAsync(stream as AsyncIterable<Uint8Array>)
  assert.equal(
    pieces.reduce((sum, piece) => sum + piece.length, 0),
    19_200,
  )
})

test("the vendor's own client reads the refusals of the fake", async (t) => {
  const { fake, client } = await clientIn(t)
  fake.mode = 'refuse'
  const refused = client.speak.v1.audio.generate({ text: 'hello', model: 'aura-2-thalia-en' })
  await assert.rejects(refused, (error: unknown) => {
    assert.ok(error instanceof DeepgramError)
    assert.equal(error.statusCode, 400)
    assert.deepEqual((error.body as { err_msg: string }).err_msg, 'the fake says no')
    return true
  })
})
