import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { AppClient } from '../../../testing/agents/app-client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { until } from '../../../testing/until.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const org = await deployment.newOrg()
const ci = await org.serverToken('sandbox')
let app: AppClient
before(async () => {
  app = await AppClient.connect(deployment.url, ci.key)
})
after(() => app.close())

const bad = (detail: string, agent: string | null = 'desk') => ({
  type: 'error',
  agent,
  code: 'BAD_FRAME',
  detail,
})

const refusesDeclared = async (declares: object, detail: string) =>
  assert.deepEqual(await app.register('desk', { declares }), bad(detail))

test('what is no frame is refused in a sentence, and the socket stays open (SD-44, ND-87)', async () => {
  const notOne = bad('a frame is one JSON object', null)
  for (const text of ['{', '', 'null', '[]', '"agent.register"', '\u0000']) {
    app.socket.send(text)
    assert.deepEqual(await app.next(), notOne, text)
  }
  app.socket.send(Buffer.from('{"type":"agent.register","agent":"desk"}'), { binary: true })
  assert.deepEqual(await app.next(), bad('a frame is text, and this one was binary', null))
  assert.deepEqual(await app.ask({ agent: 'desk' }), bad('type: is required'))
  assert.deepEqual(await app.ask({ type: 7, agent: 'desk' }), bad('type: must be a string'))
  assert.deepEqual(
    await app.ask({ type: 'agent.regster', agent: 'desk' }),
    bad('no frame is called agent.regster'),
  )
  assert.deepEqual(await app.ask({ type: 'toString' }), bad('no frame is called toString', null))
  assert.equal((await app.register('desk')).type, 'agent.registered')
})

test('a registration of the wrong shape is BAD_FRAME in its own sentence (SD-44, ND-87, ND-90)', async () => {
  const cases: [more: object, detail: string][] = [
    [{ app: 1 }, 'app: must be a string'],
    [{ app: ' ' }, "an app's name is one line of 1 to 100 characters"],
    [{ app: 'two\nlines' }, "an app's name is one line of 1 to 100 characters"],
    [{ app: 'x'.repeat(101) }, "an app's name is one line of 1 to 100 characters"],
    [{ declares: [] }, 'declares: must be an object'],
    [{ declares: null }, 'declares: must be an object'],
    [{ tools: {} }, 'tools: must be a list'],
    [{ tools: [{ name: 'a', description: '' }] }, 'tools.0.parameters: is required'],
    [{ tools: [{ name: 'a', description: '', parameters: [] }] }, 'tools.0.parameters: must be an object'],
    [{ tools: [{ name: 1, description: '', parameters: {} }] }, 'tools.0.name: must be a string'],
    [{ tools: [{ name: ' ', description: '', parameters: {} }] }, 'a tool has a name that is not blank'],
    [
      { tools: ['a', 'a'].map((name) => ({ name, description: '', parameters: {} })) },
      'two tools are called a',
    ],
    [{ analysis: true }, 'analysis: must be an object'],
    [{ analysis: { send_audio_metrics: 'yes' } }, 'analysis.send_audio_metrics: must be true or false'],
    [{ instance: 1 }, 'instance: must be a string'],
    [{ instance: '' }, 'an instance is 1 to 128 letters, digits and marks, without spaces'],
    [{ instance: 'a b' }, 'an instance is 1 to 128 letters, digits and marks, without spaces'],
    [{ instance: 'x'.repeat(129) }, 'an instance is 1 to 128 letters, digits and marks, without spaces'],
    [{ prompt: ['x'] }, 'prompt: must be a string'],
    [{ prompt: 'x'.repeat(100_001) }, 'a prompt has at most 100000 characters'],
    [{ state: 'a\u0000b' }, 'a NUL character cannot be kept: leave it out'],
  ]
  for (const [more, detail] of cases) assert.deepEqual(await app.register('desk', more), bad(detail))
  const budget = 'preparing is true, or {timeoutMs} of 1 to 10000'
  for (const preparing of [
    false,
    null,
    1,
    {},
    { timeoutMs: 0 },
    { timeoutMs: 10_001 },
    { timeoutMs: 1.5 },
    { timeoutMs: '9' },
  ])
    assert.deepEqual(await app.register('desk', { preparing }), bad(budget), JSON.stringify(preparing))
  for (const preparing of [true, { timeoutMs: 1 }, { timeoutMs: 10_000 }])
    assert.equal((await app.register('desk', { preparing })).type, 'agent.registered')
})

test('a prompt has up to 100000 characters, however many bytes they take (ND-87)', async () => {
  for (const prompt of ['', 'x'.repeat(100_000), '😀'.repeat(50_000)])
    assert.equal((await app.register('desk', { prompt, instance: 'a-1_b.c' })).type, 'agent.registered')
})

test('an agent is named as a slug (SD-03, SD-44)', async () => {
  const sentence =
    "an agent's name is lower-case letters, digits, - and _, at most 63, and starts with a letter or digit"
  for (const agent of ['', 'Desk', '-desk', 'a b', 'x'.repeat(64)])
    assert.deepEqual(await app.register(agent), bad(sentence, agent))
  assert.equal((await app.register('x'.repeat(63))).type, 'agent.registered')
  assert.deepEqual(await app.ask({ type: 'agent.register' }), bad('agent: is required', null))
  assert.deepEqual(await app.ask({ type: 'agent.register', agent: 1 }), bad('agent: must be a string', null))
  assert.deepEqual(await app.ask({ type: 'agent.unregister' }), bad('agent: is required', null))
})

test('a class declares the names of the table alone (S-095, SD-44)', async () => {
  const names =
    'language, voice, llm, stt, judge, greeting, hangup, turn, knowledge, docs, memory, record, says, hears'
  for (const name of ['bases', 'tts', 'max_duration_s', 'constructor', 'said'])
    await refusesDeclared({ [name]: 1 }, `a class cannot declare \`${name}\`: it declares ${names}`)
})

test('a declared value has the shape of its knob (SD-15, SD-44)', async () => {
  await refusesDeclared({ voice: ' ' }, '`voice` is blank')
  await refusesDeclared({ voice: null }, '`voice` is blank')
  await refusesDeclared({ record: 'yes' }, '`record` is true or false')
  await refusesDeclared({ language: 'klingon!' }, '`language` is a tag such as en or pt-BR')
  await refusesDeclared(
    { greeting: { say: 'a', reply: 'b' } },
    '`greeting` opens with say or with reply, not with both',
  )
  await refusesDeclared({ docs: {} }, '`docs` is a list')
  await refusesDeclared({ docs: [{}] }, '`docs` has an item that names no base')
})

test('a name with dependents is declared as text, or as an object of itself and them (SD-44)', async () => {
  await refusesDeclared({ llm: {} }, '`llm` declares nothing')
  await refusesDeclared(
    { llm: { llm: 'local/demo', voice: 'x' } },
    '`llm` has no voice: it takes llm, temperature, llm_builds, llm_options',
  )
  await refusesDeclared({ voice: { voice: 'nova', tts_model: '' } }, '`tts_model` is blank')
  await refusesDeclared({ stt: { end_of_turn: 'me' } }, '`end_of_turn` is stt, framework or smart-turn')
  await refusesDeclared({ judge: ['x'] }, '`judge` is text')
})

test('declared halves of a lexicon have its shape, in the words of the class (SD-42, SD-44)', async () => {
  await refusesDeclared({ says: {} }, '`says` is a list')
  await refusesDeclared({ says: [{ word: 'SQL', spoken: ' ' }] }, '`says[0].spoken` is blank')
  await refusesDeclared({ hears: ['a', 'a'] }, '`hears` has a twice')
  await refusesDeclared({ hears: null }, '`hears` is a list')
})

test('a frame holds 256 KB, and a longer one closes the socket with 1009 (ND-87)', async () => {
  const own = await AppClient.connect(deployment.url, ci.key)
  const head = '{"type":"agent.register","agent":"long","state":"'
  const fitting = `${head}${'x'.repeat(256 * 1024 - head.length - 2)}"}`
  own.socket.send(fitting)
  assert.equal((await own.next()).type, 'agent.registered')
  own.socket.send(`${fitting} `)
  assert.equal((await own.closed)[0], 1009)
  await until('it holds nothing', async () => (await ci.client.get('/v1/apps')).body.apps.length === 1)
})

test('frames are taken in order, however many come at once', async () => {
  const own = await AppClient.connect(deployment.url, ci.key)
  const types = Array.from({ length: 3000 }, (_, i) => `frame-${i}`)
  for (const type of types) own.send({ type })
  const answers = []
  for (const _ of types) answers.push((await own.next()).detail)
  assert.deepEqual(
    answers,
    types.map((type) => `no frame is called ${type}`),
  )
  await own.close()
})

test('an app that does not read what it is sent is disconnected', async () => {
  const own = await AppClient.connect(deployment.url, ci.key)
  await own.register('unread')
  own.socket.pause()
  const agent = 'x'.repeat(200_000)
  for (let i = 0; i < 200; i += 1) own.send({ type: 'agent.register', agent })
  await until('it is gone', async () => (await ci.client.get('/v1/apps')).body.apps.length === 1)
  own.socket.terminate()
})
