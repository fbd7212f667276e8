import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import OpenAI, { AuthenticationError, NotFoundError } from 'openai'
import { refusedWith, startVoiceDeployment } from '../../testing/voice-deployment.ts'

const voice = await startVoiceDeployment()
after(() => voice[Symbol.asyncDispose]())

test('the official client lists the models of this deployment and finds each by its name', async () => {
  const { key = '' } = await voice.caller()
  const client = new OpenAI({ baseURL: `${voice.url}/v1`, apiKey: key, maxRetries: 0 })
  const models = await Array.fromAsync(client.models.list())
  const ids = new Set(models.map(({ id }) => id))
  for (const id of ['tts-1', 'whisper-1', 'gpt-4o-mini-transcribe', 'local/espeak', 'local/moonshine-tiny']) {
    assert.ok(ids.has(id), id)
    const found = await client.models.retrieve(id)
    assert.deepEqual({ ...found }, { id, object: 'model', created: 0, owned_by: 'local' })
  }
  const missing = await client.models.retrieve('gpt-9').catch((error: unknown) => error)
  assert.ok(missing instanceof NotFoundError)
  assert.equal(missing.code, 'model_not_found')
})

test('a name with its slash as it is finds the model too, and a key is needed (S-366)', async () => {
  const caller = await voice.caller()
  assert.equal((await caller.get('/v1/models/local/espeak')).body.id, 'local/espeak')
  const sentence = '`model`: there is none of that name here: GET /v1/models lists them'
  refusedWith(await caller.get('/v1/models/x%2Fy%00'), 404, 'BAD_MODEL', sentence)
  refusedWith(await voice.anonymous.get('/v1/models'), 401, 'MISSING_KEY', 'this door takes an API key')
  const stranger = new OpenAI({ baseURL: `${voice.url}/v1`, apiKey: 'svc_live_nobody', maxRetries: 0 })
  await assert.rejects(Promise.resolve(stranger.models.list()), AuthenticationError)
})
