import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import Cartesia, { APIError } from '@cartesia/cartesia-js'
import { startWireFake } from '@switchroom/kit/testing/wire-fake'
import { cartesiaWire } from '../testing/wire.ts'

async function clientIn(t: TestContext) {
  const fake = await startWireFake(cartesiaWire)
  t.after(() => fake.stop())
  return { fake, client: new Cartesia({ apiKey: 'key-of-a-test', baseURL: fake.url, maxRetries: 0 }) }
}

const line = {
  model_id: 'sonic-3',
  transcript: 'Hello, there you are!',
  voice: { id: 'voice-1' },
  output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: 24_000 },
  add_timestamps: true,
} as const

test("the vendor's own client hears the fake speak, with times", async (t) => {
  const { client } = await clientIn(t)
  const events = await Array.fromAsync(await client.tts.generateSSE(line))
  const bytes = events.flatMap((said) =>
    said.type === 'chunk' ? [Buffer.from(said.data, 'base64').length] : [],
  )
  assert.deepEqual(bytes, [4_801, 4_799, 9_600])
  const words = events.flatMap((said) => (said.type === 'timestamps' ? said.word_timestamps.words : []))
  assert.deepEqual(words, ['Hello', 'there', 'you', 'are'])
  assert.equal(events.at(-1)?.type, 'done')
})

test("the vendor's own client lists the voices of the fake", async (t) => {
  const { client } = await clientIn(t)
  const voices = await Array.fromAsync(client.voices.list({ limit: 100 }))
  assert.deepEqual(
    voices.map(({ id }) => id),
    ['v1', 'v2', 'v3'],
  )
  assert.deepEqual(voices[0]?.locales, [{ locale: 'en-GB', is_native: true }])
})

test("the vendor's own client reads the refusals of the fake", async (t) => {
  const { fake, client } = await clientIn(t)
  fake.mode = 'refuse'
  for (const ask of [() => client.tts.generateSSE(line), async () => await client.voices.list()])
    await assert.rejects(ask, (error: unknown) => {
      assert.ok(error instanceof APIError)
      assert.equal(error.status, 400)
      assert.match(error.message, /the fake says no/)
      return true
    })
})
