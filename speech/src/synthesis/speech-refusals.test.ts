import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { changeRow, speakOverHttp, startSpeechFake } from '@switchroom/gateway/testing/providers/vendors'
import { refusedWith, startVoiceDeployment, VoiceCaller, wholeOf } from '../../testing/voice-deployment.ts'

const voice = await startVoiceDeployment({
  SVC_PROVIDER_KEY_OPENAI: 'platform-mark-0123456789',
  SVC_RATE_SPEECH: '50',
})
after(() => voice[Symbol.asyncDispose]())
const { deployment, anonymous } = voice
const fake = await startSpeechFake()
after(() => fake.stop())
before(() => changeRow(deployment, (row) => speakOverHttp(row, fake.url)))

const path = '/v1/audio/speech'
const wanted = { input: 'Hello.', voice: 'openai/coral' }
const json = { 'content-type': 'application/json' }

test('without a key, with another scheme or with one that opens nothing it is 401 (S-290, S-366, S-436, S-444, S-445, SD-67)', async () => {
  const missing = 'this door takes an API key'
  refusedWith(await anonymous.speech(wanted), 401, 'MISSING_KEY', missing)
  for (const authorization of ['Basic abc', 'Bearer', 'abc']) {
    const answer = await anonymous.speak(wanted, { headers: { ...json, authorization } })
    refusedWith(await wholeOf(answer), 401, 'MISSING_KEY', missing)
  }
  refusedWith(await anonymous.get('/v1/audio/voices'), 401, 'MISSING_KEY', missing)
  const stranger = new VoiceCaller(voice.url, 'svc_live_nobody')
  refusedWith(await stranger.speech(wanted), 401, 'INVALID_KEY', 'this key opens nothing')
  const org = await deployment.newOrg()
  const { key } = await org.serverToken('sandbox', { scopes: ['talk'] })
  const caller = new VoiceCaller(voice.url, key)
  assert.equal((await caller.speech(wanted)).status, 200)
  const { client } = await org.person('admin')
  const { body } = await client.get('/v1/keys')
  const { fingerprint } = body.keys.find(({ label }: { label: string }) => label === 'ci')
  assert.equal((await client.post(`/v1/keys/${fingerprint}/revoke`)).status, 200)
  refusedWith(await caller.speech(wanted), 401, 'INVALID_KEY', 'this key opens nothing')
})

test('each field has its rule and its sentence, and no vendor is asked (S-291, S-292, S-298, S-302, S-303, S-304, S-437, S-440, S-457, SD-70)', async () => {
  const caller = await voice.caller()
  const asked = fake.seen.length
  const required = '`input` is required: the text to say'
  const blank = '`input` is blank: there is nothing to say'
  const noVoice = '`voice` is required: a provider/alias or an id of GET /v1/audio/voices'
  const speed = '`speed` is a number from 0.25 to 4'
  const language = '`language` is two small letters, such as en'
  const table: [object, string][] = [
    [{ input: undefined }, required],
    [{ input: null }, required],
    [{ input: 5 }, required],
    [{ input: '' }, blank],
    [{ input: ' \n\t' }, blank],
    [{ voice: undefined }, noVoice],
    [{ voice: null }, noVoice],
    [{ voice: ' ' }, noVoice],
    [{ voice: { id: 'coral' } }, noVoice],
    [{ model: 1 }, '`model` is a string'],
    [{ language: 'spanish' }, language],
    [{ language: 'ES' }, language],
    [{ language: 7 }, '`language` is a string'],
    [{ response_format: 7 }, '`response_format` is a string'],
    [{ sample_rate: 8_000 }, '`sample_rate` is 16000 or 24000'],
    [{ sample_rate: '16000' }, '`sample_rate` is 16000 or 24000'],
    [{ speed: 'fast' }, speed],
    [{ speed: 0.24 }, speed],
    [{ speed: 4.01 }, speed],
    [{ timestamps: 'true' }, '`timestamps` is true or false'],
  ]
  for (const [change, sentence] of table)
    refusedWith(await caller.speech({ ...wanted, ...change }), 400, 'BAD_REQUEST', sentence)
  refusedWith(
    await caller.speech({ ...wanted, response_format: 'opus' }),
    400,
    'FORMAT_UNSUPPORTED',
    '`response_format` is one of pcm, wav, mp3: opus is none of them',
  )
  assert.equal(fake.seen.length, asked, 'no vendor was asked')
})

test('null counts as left out for what is optional, and unknown fields are ignored (SD-02, SD-70)', async () => {
  const optional = ['model', 'language', 'response_format', 'sample_rate', 'speed', 'timestamps']
  const nulls = Object.fromEntries(optional.map((name) => [name, null]))
  const answer = await (await voice.caller()).speech({ ...wanted, ...nulls, instructions: 'softly' })
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('content-type'), 'audio/pcm')
})

test('5000 characters are said and 5001 are too long, whatever they are made of (S-291, S-448, S-457, ST-091, ST-092)', async () => {
  const caller = await voice.caller()
  const sentence = '`input` is at most 5000 characters and this one has 5001: say it in parts'
  for (const letter of ['x', '😀', ' ']) {
    const tooLong = await caller.speech({ ...wanted, input: letter.repeat(5_001) })
    refusedWith(tooLong, 413, 'INPUT_TOO_LONG', sentence)
  }
  assert.equal((await caller.speech({ ...wanted, input: 'x'.repeat(5_000) })).status, 200)
  const huge = await caller.speech({ ...wanted, input: 'x'.repeat(2_000_000) })
  refusedWith(huge, 413, 'INPUT_TOO_LONG', 'that body is too large')
})

test('a voice or a model that does not exist is refused by its own code (S-438, S-439, SD-69)', async () => {
  const caller = await voice.caller()
  const table: [object, string, string | RegExp][] = [
    [{ voice: 'nosuch' }, 'BAD_VOICE', /nosuch/],
    [{ voice: 'local/nosuch' }, 'BAD_VOICE', /nosuch/],
    [{ voice: 'a'.repeat(201) }, 'BAD_VOICE', 'there is no voice of that name'],
    [{ voice: 'nul\0' }, 'BAD_VOICE', 'there is no voice of that name'],
    [{ model: 'nosuch/x' }, 'BAD_MODEL', /nosuch/],
    [{ model: 'openai/nosuch' }, 'BAD_MODEL', /nosuch/],
    [{ model: 'nosuch' }, 'BAD_MODEL', '`model` is provider/model or provider/auto'],
    [{ model: 'nul/\0' }, 'BAD_MODEL', 'there is no model of that name'],
    [{ model: 'local/espeak' }, 'BAD_VOICE', /openai/],
  ]
  for (const [change, code, sentence] of table)
    refusedWith(await caller.speech({ ...wanted, ...change }), 400, code, sentence)
})

test('the first mistake is refused first: key, subscription, rate, body, length, fields, form, voice, credits (S-446, S-447, S-451, SD-67, SD-68)', async () => {
  const org = await deployment.newOrg()
  const caller = await voice.caller(org)
  const account = (credits: number, subscribed = true) =>
    deployment.operator.put(`/v1/ops/orgs/${org.slug}/account`, { plan: 'pro', subscribed, credits })
  await account(0)
  const long = 'x'.repeat(5_001)
  const wrong = { input: long, voice: 'nosuch', response_format: 'opus', speed: 'fast', language: 'xx1' }
  const ladder: [object, number, string][] = [
    [wrong, 413, 'INPUT_TOO_LONG'],
    [{ ...wrong, input: 'Hi.' }, 400, 'BAD_REQUEST'],
    [{ ...wrong, input: 'Hi.', language: 'en' }, 400, 'BAD_REQUEST'],
    [{ ...wrong, input: 'Hi.', language: 'en', speed: 1 }, 400, 'FORMAT_UNSUPPORTED'],
    [{ input: 'Hi.', voice: 'nosuch' }, 400, 'BAD_VOICE'],
    [wanted, 402, 'INSUFFICIENT_CREDITS'],
  ]
  for (const [body, status, code] of ladder) {
    const answer = await caller.speech(body)
    assert.deepEqual([answer.status, answer.body.code], [status, code])
  }
  assert.match((await caller.speech({ ...wrong, input: 'Hi.' })).body.error, /^`language`/)

  while ((await caller.speech(wrong)).status !== 429);
  assert.equal((await caller.speech(wanted)).body.code, 'RATE_LIMITED')
  const late = await wholeOf(await caller.send(path, { method: 'POST', headers: json, body: '{broken' }))
  refusedWith(late, 429, 'RATE_LIMITED', late.body.error)
  assert.match(late.headers.get('retry-after') ?? '', /^[1-9]\d?$/)

  await account(0, false)
  const sentence = 'this org has no subscription: ask the operator for one'
  for (const body of [wrong, wanted])
    refusedWith(await caller.speech(body), 402, 'SUBSCRIPTION_REQUIRED', sentence)
  assert.equal((await caller.get('/v1/audio/voices')).status, 200, 'the voices may be read all the same')
})

test('a body that is not JSON is refused in our shape, and only after a valid key (S-436, ST-090, SD-02, SD-67, SD-70)', async () => {
  const caller = await voice.caller()
  const post = async (body: string | undefined, type: string | undefined) =>
    wholeOf(
      await caller.send(path, {
        method: 'POST',
        ...(body !== undefined && { body: Buffer.from(body) }),
        headers: type === undefined ? {} : { 'content-type': type },
      }),
    )
  const notObject = 'body: must be a JSON object'
  for (const body of ['{broken', '[]', '"text"', 'null', ''])
    refusedWith(await post(body, 'application/json'), 400, 'BAD_REQUEST', notObject)
  refusedWith(await post(undefined, undefined), 400, 'BAD_REQUEST', notObject)
  const notJson = 'send JSON, with the content-type application/json'
  for (const type of ['text/plain', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencoded'])
    refusedWith(await post(JSON.stringify(wanted), type), 415, 'UNSUPPORTED_MEDIA', notJson)
  const stranger = new VoiceCaller(voice.url, 'svc_live_nobody')
  for (const [body, type] of [
    ['{broken', 'application/json'],
    ['{}', 'application/json'],
    ['hello', 'text/plain'],
    [JSON.stringify({ ...wanted, input: 'x'.repeat(2_000_000) }), 'application/json'],
  ] as const) {
    const answer = await stranger.send(path, { method: 'POST', body, headers: { 'content-type': type } })
    refusedWith(await wholeOf(answer), 401, 'INVALID_KEY', 'this key opens nothing')
  }
  const withCharset = await post(JSON.stringify(wanted), 'application/json; charset=utf-8')
  assert.equal(withCharset.status, 200)
})
