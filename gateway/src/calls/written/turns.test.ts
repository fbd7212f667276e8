import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import type { NewEntry } from '@switchroom/contract/log'
import { AppClient } from '../../../testing/app-client.ts'
import { ChatClient } from '../../../testing/chat-client.ts'
import { entriesOf, lentKeys, startChatDeployment } from '../../../testing/chat-deployment.ts'
import { noLimit } from '../../../testing/deployment.ts'
import type { AskedModel } from '../../../testing/model-fake.ts'
import { done } from '../../../testing/test-agents.ts'
import { until } from '../../../testing/until.ts'
import { callLog } from '../log/stamping.ts'

const chats = await startChatDeployment()
after(() => chats[Symbol.asyncDispose]())
const { deployment, key, org, model, second } = chats
const { operator, url } = deployment
const developer = await org.person('developer')

beforeEach(() => {
  model.reply = () => 'Hello.'
  second.reply = () => 'From the second.'
  model.asked.length = 0
  second.asked.length = 0
})

const write = (agent: string, call: string, ...entries: NewEntry[]) =>
  deployment.gateway.services.log.append(callLog({ id: call, org: org.id, env: 'sandbox', agent }), entries)
const setAgent = async (agent: string, config: object) =>
  done(await developer.client.put(`/v1/agents/${agent}/settings`, { config, if_version: 0, team: true }))
const wordsOf = ({ messages }: AskedModel) =>
  messages.filter(({ role }) => role !== 'system').map(({ role, content }) => `${role}: ${content}`)

test('messages that come while a turn runs are answered after it, one after the other', async () => {
  const agent = await chats.newAgent()
  const client = await agent.chat()
  const first = Promise.withResolvers<string>()
  model.reply = ({ messages }) =>
    messages.at(-1)?.content === 'One' ? first.promise : `To ${messages.at(-1)?.content}.`
  client.say('One')
  await until('it is asked', () => model.asked.length === 1)
  client.say('Two')
  client.say('Three')
  await until('they are heard', () => client.frames.filter(({ type }) => type === 'heard').length === 3)
  assert.equal(model.asked.length, 1)
  first.resolve('To One.')
  await until('all are answered', () => client.frames.filter(({ type }) => type === 'message').length === 3)
  assert.deepEqual(model.asked.map(wordsOf), [
    ['user: One'],
    ['user: One', 'assistant: To One.', 'user: Two'],
    ['user: One', 'assistant: To One.', 'user: Two', 'assistant: To Two.', 'user: Three'],
  ])
})

test('past the time for the first word the caller is asked to repeat, in their language, and the log says so (S-079, S-081, S-082, S-083, S-084, S-393, SD-58)', async () => {
  model.reply = second.reply = () => 'HANG'
  const sentences = {
    'es-MX': 'Perdona, ¿puedes repetirlo?',
    'pt-BR': 'Desculpe, pode repetir?',
    en: 'Sorry, could you say that again?',
    de: 'Sorry, could you say that again?',
    '': 'Sorry, could you say that again?',
  }
  const answered = Object.entries(sentences).map(async ([language, sentence]) => {
    const agent = await chats.newAgent()
    await setAgent(agent.slug, { llm_timeout_s: 1, ...(language && { language }) })
    const client = await agent.chat()
    const begun = Date.now()
    assert.equal(await client.ask('Hi'), sentence)
    const tookMs = Date.now() - begun
    assert.ok(tookMs >= 1000 && tookMs < 3000, `${tookMs} ms`)
    const [error] = await entriesOf(deployment, client.call, 'error')
    const { waited_s, ...data } = error?.data ?? {}
    assert.deepEqual(Object.keys(data), ['code', 'vendor'])
    assert.equal(data.code, 'llm_timeout')
    assert.ok(waited_s >= 1 && waited_s < 3)
    const [turn] = await entriesOf(deployment, client.call, 'agent.message')
    assert.equal(turn?.data.source, 'say')
    return client
  })
  const [client] = await Promise.all(answered)
  model.reply = () => 'Here I am.'
  assert.equal(await client?.ask('Still there?'), 'Here I am.')
})

test('when a vendor fails the next of the row takes over, and the log tells when one goes and comes back (S-390, S-391, S-392, S-396, S-397, SD-56)', async () => {
  const payer = await deployment.newOrg()
  const token = await payer.serverToken('sandbox', { scopes: ['app', 'talk'] })
  const app = await AppClient.connect(url, token.key)
  await app.register('desk')
  const client = await ChatClient.connect(url, token.key, { agent: 'desk' })
  model.reply = () => 'REFUSE'
  assert.equal(await client.ask('One'), 'From the second.')
  model.reply = () => 'Back again.'
  assert.equal(await client.ask('Two'), 'Back again.')
  assert.equal(model.asked.at(-1)?.key, lentKeys.openai)
  assert.equal(second.asked.at(-1)?.key, lentKeys.groq)
  const switched = await entriesOf(deployment, client.call, 'vendor.switched')
  assert.deepEqual(
    switched.map(({ data }) => data),
    [
      { stage: 'llm', vendor: 'openai', state: 'down', serves: 'groq' },
      { stage: 'llm', vendor: 'openai', state: 'back', serves: 'openai' },
    ],
  )
  const metrics = await entriesOf(deployment, client.call, 'metrics')
  assert.deepEqual(
    metrics.map(({ data }) => [
      data.stage,
      data.vendor,
      data.model,
      data.key,
      data.input_tokens,
      data.output_tokens,
      data.credits,
    ]),
    [
      ['llm', 'groq', 'openai/gpt-oss-20b', 'lent', 100, 20, 0.001575],
      ['llm', 'openai', 'gpt-4.1-mini', 'lent', 100, 20, 0.0084],
    ],
  )
  const { credits } = done(await operator.get(`/v1/ops/orgs/${payer.slug}/account`))
  assert.equal(credits, 1000 - 0.001575 - 0.0084)
})

test("on the org's own key a turn costs nothing, and runs with the agent's options and temperature (SD-56)", async () => {
  const owner = await deployment.newOrg()
  const manager = await owner.person('manager')
  done(await manager.client.put('/v1/provider-keys/openai', { key: 'sk-own-0123456789' }))
  const token = await owner.serverToken('sandbox', { scopes: ['app', 'talk'] })
  const app = await AppClient.connect(url, token.key)
  await app.register('desk')
  const person = await owner.person('developer')
  const config = { llm: 'openai/gpt-4o-mini', temperature: 0.4, llm_options: { top_p: 0.5 } }
  done(await person.client.put('/v1/agents/desk/settings', { config, if_version: 0, team: true }))
  model.asked.length = 0 // it was tried
  const client = await ChatClient.connect(url, token.key, { agent: 'desk' })
  await client.ask('Hi')
  const [asked] = model.asked as (AskedModel & { top_p?: number })[]
  assert.deepEqual(
    [asked?.key, asked?.model, asked?.temperature, asked?.top_p],
    ['sk-own-0123456789', 'gpt-4o-mini', 0.4, 0.5],
  )
  const [metrics] = await entriesOf(deployment, client.call, 'metrics')
  assert.deepEqual([metrics?.data.key, metrics?.data.credits], ['yours', 0])
  assert.equal(done(await operator.get(`/v1/ops/orgs/${owner.slug}/account`)).credits, 1000)
})

test("a written call runs the row's order, also past the error line, and adds nothing to what is counted (S-401, SD-57)", async () => {
  const { vendorWindow } = deployment.gateway.services
  for (let n = 0; n < 6; n += 1) {
    vendorWindow.handed('openai', `call_${n}`)
    vendorWindow.failed('openai', `call_${n}`)
  }
  assert.equal(vendorWindow.isOverLine('openai'), true)
  const agent = await chats.newAgent()
  const client = await agent.chat()
  assert.equal(await client.ask('Hi'), 'Hello.')
  assert.deepEqual([model.asked.length, second.asked.length], [1, 0])
  model.reply = () => 'REFUSE'
  second.reply = () => 'REFUSE'
  for (let n = 0; n < 6; n += 1) await (await agent.chat()).ask('Hi')
  assert.equal(vendorWindow.isOverLine('groq'), false)
})

test('when every model fails the caller is asked to repeat, and the log says why without a secret', async () => {
  model.reply = second.reply = () => 'REFUSE'
  const client = await (await chats.newAgent()).chat()
  assert.equal(await client.ask('Hi'), 'Sorry, could you say that again?')
  const [error] = await entriesOf(deployment, client.call, 'error')
  assert.deepEqual(error?.data, {
    code: 'llm_failed',
    detail: 'openai: the fake says no; groq: the fake says no',
    vendor: 'openai',
  })
})

test('an agent greets first where it is set to, in its own words or the model’s, before any message is answered', async () => {
  const says = await chats.newAgent({ declares: { greeting: { say: 'Welcome to Acme.' } } })
  const client = await says.chat()
  assert.equal((await client.next('message')).text, 'Welcome to Acme.')
  assert.equal(model.asked.length, 0)
  await client.ask('Hi')
  assert.deepEqual(model.asked.map(wordsOf), [['assistant: Welcome to Acme.', 'user: Hi']])

  const replies = await chats.newAgent({ declares: { greeting: { reply: 'Greet them.' } } })
  model.asked.length = 0
  const greeting = Promise.withResolvers<string>()
  model.reply = () => (model.asked.length === 1 ? greeting.promise : 'Fine.')
  const eager = await replies.chat()
  eager.say('Are you there?')
  await eager.next('heard')
  await until('it is asked', () => model.asked.length === 1)
  greeting.resolve('Good day.')
  assert.deepEqual(
    [(await eager.next('message')).text, (await eager.next('message')).text],
    ['Good day.', 'Fine.'],
  )
  assert.deepEqual(wordsOf(model.asked[1] as AskedModel), ['assistant: Good day.', 'user: Are you there?'])
})

test('an agent that may hang up does so after its last words', async () => {
  const agent = await chats.newAgent({ declares: { hangup: { when: 'they say goodbye' } } })
  const client = await agent.chat()
  model.reply = ({ tools = [] }) => ({ text: 'Bye.', calls: [{ name: tools[0]?.function.name ?? '' }] })
  assert.equal(await client.ask('Goodbye'), 'Bye.')
  assert.equal((await client.next('ended')).reason, 'hangup')
})

test('an app runs the tools of its agent, and the model goes on with what came of them', async () => {
  const tools = [
    { name: 'time', description: 'tells the time', parameters: { type: 'object', properties: {} } },
  ]
  const agent = await chats.newAgent({ tools, instance: 'process-1' })
  agent.app.socket.on('message', (data: Buffer) => {
    const { type, call, data: asked } = JSON.parse(data.toString())
    if (type === 'llm.toolCall')
      agent.app.send({ type: 'tool.result', call, id: asked.toolCalls[0].id, result: { time: '12:00' } })
  })
  const client = await agent.chat()
  model.reply = ({ messages }) =>
    messages.at(-1)?.role === 'tool' ? 'It is noon.' : { calls: [{ id: 'call_1', name: 'time' }] }
  assert.equal(await client.ask('What time is it?'), 'It is noon.')
  assert.deepEqual(model.asked[0]?.tools?.[0]?.function, tools[0])
  assert.deepEqual(model.asked[1]?.messages.at(-1), {
    role: 'tool',
    tool_call_id: 'call_1',
    content: '{"time":"12:00"}',
  })
  const [asked] = await entriesOf(deployment, client.call, 'llm.toolCall')
  assert.equal(asked?.data.app, 'process-1')
})

test('a person who takes the call over silences the model, and on release it is asked once over all of it (ND-81)', async () => {
  const agent = await chats.newAgent()
  const client = await agent.chat()
  await client.ask('One')
  const answering = Promise.withResolvers<string>()
  model.reply = () => answering.promise
  client.say('Two')
  await until('it is asked', () => model.open === 1)
  await write(agent.slug, client.call, { type: 'call.taken_over', data: { by: 'ana' } })
  await until('the model is let go', () => model.open === 0)
  client.say('Three')
  client.say('Four')
  await until('they are heard', () => client.frames.filter(({ type }) => type === 'heard').length === 4)
  assert.equal(model.asked.length, 2)
  model.reply = () => 'To all of it.'
  await write(agent.slug, client.call, { type: 'call.released', data: { by: 'ana' } })
  assert.equal((await client.next('message')).text, 'To all of it.')
  assert.equal(model.asked.length, 3)
  assert.deepEqual(wordsOf(model.asked[2] as AskedModel), [
    'user: One',
    'assistant: Hello.',
    'user: Two',
    'user: Three',
    'user: Four',
  ])

  const spoken = { type: 'agent.message', data: { text: 'I am Ana.', messageId: 'h', source: 'human' } }
  await write(agent.slug, client.call, { type: 'call.taken_over', data: { by: 'ana' } })
  client.say('Five')
  await client.next('heard')
  await write(agent.slug, client.call, spoken, { type: 'call.released', data: { by: 'ana' } })
  client.say('Six')
  await until('it is answered', () => client.frames.filter(({ type }) => type === 'message').length === 4)
  assert.equal(model.asked.length, 4)
})

test('whoever ends the call stops the turn at once', async () => {
  const agent = await chats.newAgent()
  const client = await agent.chat()
  model.reply = () => 'HANG'
  client.say('Hi')
  await until('it is asked', () => model.open === 1)
  agent.app.send({ type: 'call.end', call: client.call })
  assert.equal((await client.next('ended')).reason, 'hangup')
  await until('the model is let go', () => model.open === 0, 1000)
  assert.deepEqual(await entriesOf(deployment, client.call, 'error', 'agent.message'), [])
})

test('what comes while no app holds the agent waits for the next that does', async () => {
  const agent = await chats.newAgent({ prompt: 'The first.' })
  const client = await agent.chat()
  await client.ask('One')
  await agent.app.close()
  await until('it is let go', async () => {
    const { rowCount } = await deployment.sql('select from registrations where agent = $1', [agent.slug])
    return rowCount === 0
  })
  client.say('Two')
  await client.next('heard')
  const next = await AppClient.connect(url, key)
  assert.equal(model.asked.length, 1)
  await next.register(agent.slug, { prompt: 'The second.' })
  assert.equal((await client.next('message')).text, 'Hello.')
  assert.equal(model.asked.at(-1)?.messages[0]?.content, 'The second.')
})

test('a turn past the messages of the day is not put to the model: the log says so and the call ends (ND-82)', async () => {
  const few = await deployment.newOrg()
  const token = await few.serverToken('sandbox', { scopes: ['app', 'talk'] })
  const app = await AppClient.connect(url, token.key)
  await app.register('desk')
  done(await operator.put(`/v1/ops/orgs/${few.slug}/quotas`, { ...noLimit, messages: 2 }))
  const clients = await Promise.all(
    [1, 2, 3].map(() => ChatClient.connect(url, token.key, { agent: 'desk' })),
  )
  for (const client of clients) client.say('Hi')
  const ends = await until('each is answered or ended', () => {
    const outcomes = clients.map(({ frames }) =>
      frames.find(({ type }) => type === 'message' || type === 'ended'),
    )
    return outcomes.every((frame) => frame !== undefined) && outcomes
  })
  const ended = ends.filter(({ type }) => type === 'ended')
  assert.deepEqual(
    ended.map((frame) => frame.type === 'ended' && frame.reason),
    ['failed'],
  )
  assert.equal(model.asked.length, 2)
  const refusedClient = clients[ends.findIndex(({ type }) => type === 'ended')]
  const log = await entriesOf(deployment, refusedClient?.call ?? '')
  assert.deepEqual(
    log.map(({ type }) => type),
    ['chat.started', 'user.message', 'error', 'call.ended'],
  )
  assert.deepEqual(log[2]?.data, {
    code: 'quota',
    detail: `org ${few.slug} has used its 2 messages of the last 24 hours in the sandbox: wait, or ask the operator for more`,
  })
  const holding = async () => done(await operator.get(`/v1/ops/orgs/${few.slug}`)).holding.messages
  assert.equal(await holding(), 2)
  deployment.clock.forward(24 * 3600 * 1000)
  assert.equal(await holding(), 0)
  const later = await ChatClient.connect(url, token.key, { agent: 'desk' })
  assert.equal(await later.ask('Hi'), 'Hello.')
})
