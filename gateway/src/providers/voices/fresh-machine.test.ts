import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { findVendors } from '@switchroom/kit/installed'
import { startDeployment } from '../../../testing/deployment.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())

const sentence = 'please tell me what time the station opens in the morning'

test('with no setting at all a sample is spoken on this machine, and the ears of this machine understand it (SD-80, S-012)', async () => {
  const { client } = await (await deployment.newOrg()).person('admin')
  const { body: catalogue } = await client.get('/v1/providers')
  const local = catalogue.providers.find(({ name }: { name: string }) => name === 'local')
  assert.deepEqual([local.availability, local.ready, local.voices_listed], ['offered', true, true])
  assert.match(
    JSON.stringify(catalogue.defaults),
    /^{"llm":"local\/[^"]+","stt":"local\/[^"]+","tts":"local"}$/,
  )

  const { body: list } = await client.get('/v1/voices?language=en')
  const voice = list.voices[0].id
  const sample = await client.post('/v1/voices/sample', { tts: 'local', voice, text: sentence })
  assert.equal(sample.status, 200, sample.text)
  const transcriber = await findVendors().get('local')?.transcriber({ credentials: {} })
  const recording = { bytes: sample.bytes, mediaType: 'audio/wav' }
  const heard = await transcriber?.transcribe?.(recording, AbortSignal.timeout(60_000))
  const understood = new Set(heard?.text.toLowerCase().match(/[a-z]+/g))
  const words = sentence.split(' ')
  const kept = words.filter((word) => understood.has(word))
  assert.ok(kept.length >= 0.8 * words.length, `of "${sentence}" came "${heard?.text}"`)
})

test('on a fresh machine Spanish and Portuguese are spoken too (SD-80)', async () => {
  const { client } = await (await deployment.newOrg()).person('developer')
  for (const language of ['es', 'pt-BR']) {
    const { body } = await client.get(`/v1/voices?tts=local&language=${language}`)
    const voice = body.voices[0].id
    const sample = await client.post('/v1/voices/sample', { tts: 'local', voice, language })
    assert.equal(sample.status, 200, sample.text)
    assert.ok(sample.bytes.length > 44 + 2 * 16_000, 'more than half a second of sound')
  }
})
