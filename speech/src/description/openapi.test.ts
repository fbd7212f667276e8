import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openAiSoundForms } from '../sound/sound-forms.ts'
import { startVoiceDeployment } from '../../testing/voice-deployment.ts'

const voice = await startVoiceDeployment()
after(() => voice[Symbol.asyncDispose]())

const { body: document } = await voice.anonymous.get('/openapi.json')
const operations = Object.entries<Record<string, { operationId: string }>>(document.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({ method, path, operationId })),
)

test('the voice server describes its own paths, each with a name, and no path that it does not have', async () => {
  assert.deepEqual(operations.map(({ operationId }) => operationId).toSorted(), [
    'createSpeech',
    'createTranscription',
    'createTranslation',
    'getHealth',
    'getModel',
    'getOpenApi',
    'listModels',
    'listVoices',
  ])
  for (const { method, path } of operations) {
    const { status } = await fetch(voice.url + path, { method: method.toUpperCase() })
    assert.ok(status !== 404 && status !== 405, `${method} ${path} answered ${status}`)
  }
})

test('the description names the schemas of the voice server and the forms of sound that it has', () => {
  const { SpeechRequest } = document.components.schemas
  assert.deepEqual(SpeechRequest.properties.response_format.enum, [...openAiSoundForms])
  const { post } = document.paths['/v1/audio/transcriptions']
  assert.deepEqual(Object.keys(post.requestBody.content), ['multipart/form-data'])
  assert.deepEqual(post.security, [{ key: [] }])
})
