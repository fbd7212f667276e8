import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openAiModels, openAiVoices } from '@switchroom/contract/openai-names'
import type { AskGrant, SpeechModel } from '@switchroom/contract/voice-server'
import { refused } from '../../../testing/client.ts'
import { startDeployment, type Deployment } from '../../../testing/deployment.ts'
import { VoiceServer } from '../../../testing/providers/voice-server.ts'

const plain = await startDeployment()
after(() => plain[Symbol.asyncDispose]())

async function asker(of: Deployment, ...own: string[]) {
  const server = new VoiceServer(of)
  const org = await of.newOrg()
  const { client } = await org.person('admin')
  for (const vendor of own)
    assert.equal((await client.put(`/v1/provider-keys/${vendor}`, { key: 'sk-own' })).status, 200)
  const { key_id } = await org.serverToken('sandbox')
  const ask = (doing: AskGrant['doing'], words: Partial<AskGrant>) =>
    server.ask({ doing, key_id, openai: true, ...(doing === 'speech' && { characters: 5 }), ...words })
  const runs = async (doing: AskGrant['doing'], words: Partial<AskGrant>) => {
    const { grant, refusal } = await ask(doing, words)
    assert.ok(grant, JSON.stringify(refusal))
    return `${grant.vendor}/${grant.model} ${(grant.knobs['voice'] as string | undefined) ?? ''}`.trim()
  }
  const models = async (): Promise<SpeechModel[]> =>
    (await server.client.get(`/v1/voice/models?org=${org.id}`)).body.models
  return { org, ask, runs, models }
}

test("without a vendor account OpenAI's names run on the machine itself", async () => {
  const { runs } = await asker(plain)
  for (const model of [...openAiModels.tts, 'gpt-4o-mini-tts-2025-12-15', 'tts-1-1106'])
    assert.equal(await runs('speech', { model, voice: 'ash' }), 'local/espeak en-us')
  assert.equal(await runs('speech', { model: 'tts-1', voice: 'alloy' }), 'local/espeak en-us+f2')
  assert.equal(await runs('speech', { model: 'tts-1', voice: 'ash', language: 'pt' }), 'local/espeak pt-br')
  for (const model of [...openAiModels.stt, 'gpt-4o-transcribe-2025-03-20'])
    assert.equal(await runs('transcriptions', { model }), 'local/moonshine-tiny')
})

test('every voice of OpenAI is a voice here, also on a vendor that the model names', async () => {
  const { runs } = await asker(plain)
  for (const voice of Object.keys(openAiVoices)) {
    assert.match(await runs('speech', { model: 'local/auto', voice }), /^local\/espeak en-us/)
    assert.match(await runs('speech', { model: null, voice }), /^local\/espeak en-us/)
  }
})

test("a name of a model leaves a voice of ours what it is, and OpenAI's names mean nothing in our own form (SD-69, S-438)", async () => {
  const { runs, ask } = await asker(plain)
  assert.equal(await runs('speech', { model: 'tts-1', voice: 'local/en-gb' }), 'local/espeak en-gb')
  for (const asked of [
    { model: 'gpt-9', voice: 'local/en-gb' },
    { model: 'tts-1', voice: 'local/en-gb', openai: false },
  ])
    assert.deepEqual((await ask('speech', asked)).refusal, {
      status: 400,
      code: 'BAD_MODEL',
      error: '`model` is provider/model or provider/auto',
    })
  const { refusal } = await ask('transcriptions', { model: 'whisper-1', openai: false })
  assert.equal(refusal?.code, 'BAD_MODEL')
})

test('an org with a key for OpenAI runs OpenAI itself under its names, with its own voices', async () => {
  const { runs } = await asker(plain, 'openai')
  assert.equal(await runs('speech', { model: 'tts-1', voice: 'verse' }), 'openai/tts-1 verse')
  const dated = await runs('speech', { model: 'gpt-4o-mini-tts-2025-12-15', voice: 'verse' })
  assert.match(dated, /^openai\/gpt-realtime\S* verse$/, 'which is no model here: the default of the vendor')
  assert.equal(await runs('transcriptions', { model: 'whisper-1' }), 'openai/whisper-1')
  assert.equal(await runs('transcriptions', { model: 'gpt-4o-transcribe' }), 'openai/gpt-4o-transcribe')
})

test('a recording is translated by a model that can, else it is refused with the models that could', async () => {
  const keyed = await asker(plain, 'openai')
  for (const model of [null, 'whisper-1', 'openai/whisper-1'])
    assert.equal(await keyed.runs('transcriptions', { model, translate: true }), 'openai/whisper-1')
  const cannot = async (words: Partial<AskGrant>) =>
    (await keyed.ask('transcriptions', { ...words, translate: true })).refusal?.error
  assert.equal(
    await cannot({ model: 'local/moonshine-tiny' }),
    '`model`: local/moonshine-tiny does not translate: transcribe it instead',
  )
  const { ask } = await asker(plain)
  for (const model of [null, 'whisper-1'])
    assert.deepEqual((await ask('transcriptions', { model, translate: true })).refusal, {
      status: 400,
      code: 'BAD_MODEL',
      error: '`model`: openai/whisper-1 can translate, and has no key to run on here: bring one of your own',
    })
})

test('the list has every model that the org can name, and who runs it', async () => {
  const none = await asker(plain)
  const alone = await none.models()
  assert.deepEqual(
    alone.filter(({ id }) => id.includes('/')),
    [
      { id: 'local/espeak', provider: 'local', does: 'speech' },
      { id: 'local/moonshine-tiny', provider: 'local', does: 'transcriptions' },
      { id: 'local/auto', provider: 'local', does: 'transcriptions' },
    ],
  )
  for (const id of [...openAiModels.tts, ...openAiModels.stt])
    assert.equal(alone.find((model) => model.id === id)?.provider, 'local', id)
  const keyed = await asker(plain, 'openai')
  const models = await keyed.models()
  assert.equal(models.find(({ id }) => id === 'whisper-1')?.provider, 'openai')
  for (const { id, does } of models.filter((model) => model.id.includes('/')))
    await keyed.runs(does, { model: id, ...(does === 'speech' && { voice: 'ash' }) })
})

test("the list takes the fleet's key and an org that exists", async () => {
  const server = new VoiceServer(plain)
  refused(await server.client.get('/v1/voice/models?org=nobody'), 404, 'there is no org nobody')
  refused(await plain.anonymous.get('/v1/voice/models?org=x'), 401, 'this door takes an API key')
})
