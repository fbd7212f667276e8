import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { vendorIn } from '@switchroom/kit/installed'
import { startWireFake, type HttpAnswer, type Seen, type Wire } from '@switchroom/kit/testing/wire-fake'

type Choice = { model?: string; knobs?: Record<string, unknown> }

async function spoken(http: NonNullable<Wire['http']>, text: string, choice: Choice, hear: () => void) {
  const fake = await startWireFake({ refusal: () => ({}), http })
  try {
    const settled = { ...choice, options: { base_url: fake.url }, credentials: { api_key: 'key-of-a-test' } }
    const voice = await vendorIn(join(import.meta.dirname, '..'))?.voice(settled)
    assert.ok(voice)
    const lengths: number[] = []
    for await (const said of voice.speak(text, AbortSignal.timeout(5_000))) {
      if (said.type === 'audio') lengths.push(said.pcm.length)
      hear()
    }
    return { sampleRate: voice.sampleRate, lengths, seen: fake.seen }
  } finally {
    await fake.stop()
  }
}

async function says(_request: Seen, answer: HttpAnswer) {
  answer.start({ 'content-type': 'audio/l16' })
  await answer.piece(Buffer.alloc(480))
  answer.end()
}

/** What it was asked to say, and by which model. */
async function asked(text: string, choice: Choice = {}) {
  const { sampleRate, seen } = await spoken(says, text, choice, () => {})
  const requests = seen.map(({ url, body }) => ({
    model: url.searchParams.get('model'),
    rate: Number(url.searchParams.get('sample_rate')),
    text: (JSON.parse(body.toString()) as { text: string }).text,
  }))
  return { sampleRate, requests }
}

test('a sample that comes in two halves is given whole', async () => {
  const { promise: heard, resolve: hear } = Promise.withResolvers<void>()
  const halves = async (_request: Seen, answer: HttpAnswer) => {
    answer.start({ 'content-type': 'audio/l16' })
    await answer.piece(Buffer.alloc(481))
    await heard
    await answer.piece(Buffer.alloc(479))
    answer.end()
  }
  assert.deepEqual((await spoken(halves, 'hello', {}, hear)).lengths, [480, 480])
})

test('a family of models speaks with its first voice, and a voice is a model of its own', async () => {
  const models = async (choice: Choice) => (await asked('hello', choice)).requests.map(({ model }) => model)
  assert.deepEqual(await models({}), ['aura-2-thalia-en'])
  assert.deepEqual(await models({ model: 'aura-2', knobs: { voice: 'aura-2-celeste-es' } }), [
    'aura-2-celeste-es',
  ])
  assert.deepEqual(await models({ model: 'aura-2-apollo-en' }), ['aura-2-apollo-en'])
})

test('the rate of the samples is the one that was asked for', async () => {
  const { sampleRate, requests } = await asked('hello', { knobs: { sample_rate: 8_000 } })
  assert.deepEqual([sampleRate, requests[0]?.rate], [8_000, 8_000])
})

test('a text longer than it takes is said in pieces, none of them cut in a word (S-291)', async () => {
  const text = 'A sentence of some length, said again. '.repeat(120).trim()
  const { requests } = await asked(text)
  assert.equal(requests.map((request) => request.text).join(' '), text)
  assert.ok(requests.every((request) => request.text.length <= 2_000 && request.text.endsWith('again.')))
})
