import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { changeRow, speakOverHttp, startSpeechFake } from '@switchroom/gateway/testing/providers/vendors'
import { refusedWith, startVoiceDeployment } from '../../testing/voice-deployment.ts'

const voice = await startVoiceDeployment({
  SVC_PROVIDER_KEY_OPENAI: 'platform-mark-0123456789',
  SVC_RATE_VOICES: '20',
})
after(() => voice[Symbol.asyncDispose]())
const { deployment } = voice
const fake = await startSpeechFake()
after(() => fake.stop())
await changeRow(deployment, (row) => {
  speakOverHttp(row, fake.url)
  row.voices['openai'] = {
    en: [
      { id: 'coral', name: 'Coral Reef', gender: 'female', description: 'Warm', accent: 'american' },
      { id: 'onyx', name: 'Coral  reef' },
    ],
    'pt-BR': ['coral', { id: 'ana', name: 'Ana' }],
  }
})

const path = '/v1/audio/voices'

interface Voice {
  id: string
  name: string
  alias: string
  provider: string
  languages: { code: string; name: string }[]
}

test('the voices of every vendor are listed with no agent and no call, in one shape (S-014, S-287, S-321, S-322, SD-73)', async () => {
  const { status, body, headers } = await (await voice.caller()).get(path)
  assert.equal(status, 200)
  assert.match(headers.get('x-svc-request-id') ?? '', /^req_[0-9a-f]{24}$/)
  assert.deepEqual(Object.keys(body), ['success', 'voices', 'total'])
  const voices = body.voices as Voice[]
  assert.deepEqual([body.success, body.total], [true, voices.length])
  const known = new Set([
    'id',
    'name',
    'alias',
    'provider',
    'gender',
    'style',
    'languages',
    'description',
    'previewUrl',
  ])
  for (const listed of voices) {
    for (const [field, value] of Object.entries(listed)) {
      assert.ok(known.has(field), field)
      assert.notEqual(value, null, `${field} is left out if it is unknown`)
    }
    for (const field of ['id', 'name', 'alias', 'provider'] as const)
      assert.equal(typeof listed[field], 'string')
    for (const { code, name, ...more } of listed.languages) {
      assert.ok(code !== '' && name !== '')
      assert.ok(Object.keys(more).every((field) => ['flag', 'nativeName', 'region'].includes(field)))
    }
  }
  const providers = [...new Set(voices.map(({ provider }) => provider))]
  assert.deepEqual(providers, providers.toSorted())
  assert.ok(
    ['local', 'openai'].every((name) => providers.includes(name)),
    String(providers),
  )
  const names = voices.filter(({ provider }) => provider === 'local').map(({ name }) => name)
  assert.deepEqual(names, names.toSorted())
})

test('a voice has every language it is listed for, in English, and no unknown field (S-322, SD-73)', async () => {
  const { body } = await (await voice.caller()).get(`${path}?provider=openai`)
  const english = { code: 'en', name: 'English' }
  const brazilian = { code: 'pt-BR', name: 'Brazilian Portuguese', region: 'Brazil' }
  assert.deepEqual(body.voices, [
    { id: 'ana', name: 'Ana', alias: 'ana', provider: 'openai', languages: [brazilian] },
    { id: 'onyx', name: 'Coral  reef', alias: 'coral-reef-2', provider: 'openai', languages: [english] },
    {
      id: 'coral',
      name: 'Coral Reef',
      alias: 'coral-reef',
      provider: 'openai',
      gender: 'female',
      style: 'american',
      languages: [english, brazilian],
      description: 'Warm',
    },
  ])
})

test('an alias speaks with the same voice as its id (S-293, S-294, S-323)', async () => {
  const caller = await voice.caller()
  const lastVoice = () => JSON.parse(fake.seen.at(-1)?.body.toString() ?? '{}').voice as string
  for (const named of ['openai/coral-reef-2', 'openai/onyx', 'onyx']) {
    assert.equal((await caller.speech({ input: 'Hello.', voice: named })).status, 200)
    assert.equal(lastVoice(), 'onyx')
  }
})

test('provider and language filter; unknown ones give an empty list (S-287, S-324, S-325, SD-73)', async () => {
  const caller = await voice.caller()
  const listed = async (query: string) => {
    const { status, body } = await caller.get(`${path}?${query}`)
    assert.equal(status, 200)
    assert.equal(body.total, body.voices.length)
    return body.voices as Voice[]
  }
  const local = await listed('provider=local')
  assert.ok(local.length > 0 && local.every(({ provider }) => provider === 'local'))
  for (const query of ['language=pt', 'language=pt-PT', 'provider=openai&language=pt']) {
    const voices = await listed(query)
    assert.ok(voices.length > 0)
    for (const { id, languages } of voices)
      assert.ok(
        languages.some(({ code }) => code.startsWith('pt')),
        id,
      )
  }
  for (const query of ['provider=nosuch', 'language=xx', 'provider=%00', 'language=%00', 'provider=a%20b'])
    assert.deepEqual(await listed(query), [])
})

test('more than the rate allows on one key is 429 with when to come again (S-451, SD-68)', async () => {
  const caller = await voice.caller()
  for (let i = 0; i < 20; i += 1) assert.equal((await caller.get(`${path}?provider=nosuch`)).status, 200)
  const late = await caller.get(path)
  refusedWith(late, 429, 'RATE_LIMITED', late.body.error)
  assert.match(late.headers.get('retry-after') ?? '', /^[1-9]\d?$/)
  assert.equal((await caller.speech({ input: 'Hello.', voice: 'openai/onyx' })).status, 200, 'counted apart')
})
