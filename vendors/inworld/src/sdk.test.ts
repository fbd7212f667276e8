import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, InworldTTS } from '@inworld/tts'
import { startWireFake } from '@switchroom/kit/testing/wire-fake'
import { inworldWire } from '../testing/wire.ts'

// The vendor's own client is the referee of the wire that the adapter is tested against.

const line = {
  text: 'Hello there.',
  voice: 'Dennis',
  model: 'inworld-tts-2',
  encoding: 'PCM',
  sampleRate: 24_000,
} as const

test('the client of the vendor streams speech on the fake as its users do', async (t) => {
  const wire = inworldWire()
  const fake = await startWireFake(wire)
  t.after(() => fake.stop())
  const client = InworldTTS({ apiKey: 'a-key', baseUrl: fake.url })
  const pieces = await Array.fromAsync(client.stream({ ...line, language: 'en-US', deliveryMode: 'STABLE' }))
  assert.deepEqual(
    pieces.map(({ length }) => length),
    [4_801, 4_799],
  )
  assert.deepEqual(
    [wire.spoken[0]?.['language'], wire.spoken[0]?.['deliveryMode'], wire.spoken[0]?.['audioConfig']],
    ['en-US', 'STABLE', { audioEncoding: 'PCM', sampleRateHertz: 24_000, speakingRate: 1 }],
  )
})

test('the client of the vendor reads when the words of the fake are said', async (t) => {
  const fake = await startWireFake(inworldWire())
  t.after(() => fake.stop())
  const client = InworldTTS({ apiKey: 'a-key', baseUrl: fake.url })
  const pieces = await Array.fromAsync(client.streamWithTimestamps({ ...line, timestampType: 'WORD' }))
  assert.deepEqual(
    pieces.flatMap(({ timestamps }) => timestamps?.wordAlignment?.words ?? []),
    ['Hello', ' ', 'there', '.'],
  )
})

test('the client of the vendor lists the voices of the fake', async (t) => {
  const fake = await startWireFake(inworldWire())
  t.after(() => fake.stop())
  const voices = await InworldTTS({ apiKey: 'a-key', baseUrl: fake.url }).listVoices()
  assert.deepEqual(
    voices.map(({ voiceId, langCode }) => [voiceId, langCode]),
    [
      ['Dennis', 'EN_US'],
      ['a__mine', 'PT'],
    ],
  )
})

test('the client of the vendor reads the refusal of the fake', async (t) => {
  const fake = await startWireFake(inworldWire())
  t.after(() => fake.stop())
  fake.mode = 'refuse'
  fake.words = 'the voice is not known'
  const client = InworldTTS({ apiKey: 'a-key', baseUrl: fake.url })
  await assert.rejects(Array.fromAsync(client.stream(line)), (error) => {
    assert.ok(error instanceof ApiError)
    assert.deepEqual([error.message, error.code], ['the voice is not known', 400])
    return true
  })
})
