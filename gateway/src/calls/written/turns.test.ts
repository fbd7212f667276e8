import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import type { NewEntry } from '@switchroom/contract/log'
import { AppClient } from '../../../testing/agents/app-client.ts'
import { ChatClient } from '../../../testing/calls/chat-client.ts'
import { entriesOf, startChatDeployment } from '../../../testing/calls/chat-deployment.ts'
import { noLimit } from '../../../testing/deployment.ts'
import { hangs, type AskedModel } from '../../../testing/providers/model-fake.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'
import { callLog } from '../log/entries.ts'

const chats = await startChatDeployment()
after(() => chats[Symbol.asyncDispose]())
const { deployment, key, org, model } = chats
const { operator, url } = deployment

beforeEach(() => {
  model.reply = () => 'Hello.'
  model.asked.length = 0
})

const write = (agent: string, call: string, ...entries: NewEntry[]) =>
  deployment.gateway.services.log.append(callLog({ id: call, org: org.id, env: 'sandbox', agent }), entries)
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

test('an agent greets first if it is set to, in its own words or the model’s, before any message is answered', async () => {
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

test('an app runs the tools of its agent, and the model continues with their results', async () => {
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

test('a tool that takes longer than a second is covered by a message, and one that takes longer than its own limit has failed', async () => {
  const described = { description: 'books', parameters: { type: 'object', properties: {} } }
  const tools = [{ ...described, name: 'book', timeoutMs: 2500, while: 'One moment, please.' }]
  const agent = await chats.newAgent({ tools })
  const client = await agent.chat()
  model.reply = ({ messages }) =>
    messages.at(-1)?.role === 'tool' ? `It says: ${messages.at(-1)?.content}` : { calls: [{ name: 'book' }] }
  client.say('A table, please')
  assert.equal((await client.next('message')).text, 'One moment, please.')
  assert.equal(
    (await client.next('message')).text,
    'It says: the tool book did not answer within 2.5 seconds',
  )
  assert.deepEqual(model.asked[0]?.tools?.[0]?.function, { ...described, name: 'book' })
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
  await until('the request to the model is aborted', () => model.open === 0)
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

test('the end of a call stops its turn at once', async () => {
  const agent = await chats.newAgent()
  const client = await agent.chat()
  model.reply = () => hangs
  client.say('Hi')
  await until('it is asked', () => model.open === 1)
  agent.app.send({ type: 'call.end', call: client.call })
  assert.equal((await client.next('ended')).reason, 'hangup')
  await until('the request to the model is aborted', () => model.open === 0, 5000) // before it would be for its silence
  assert.deepEqual(await entriesOf(deployment, client.call, 'error', 'agent.message'), [])
})

test('what comes while no app holds the agent waits for the next that does', async () => {
  const agent = await chats.newAgent({ prompt: 'The first.' })
  const client = await agent.chat()
  await client.ask('One')
  await agent.app.close()
  await until('it is released', async () => {
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

test('a turn past the messages of the day is not put to the model: the log says so and the call ends, also concurrently on two gateways (ND-82)', async () => {
  const few = await deployment.newOrg()
  const token = await few.serverToken('sandbox', { scopes: ['app', 'talk'] })
  const app = await AppClient.connect(url, token.key)
  await app.register('desk')
  done(await operator.put(`/v1/ops/orgs/${few.slug}/quotas`, { ...noLimit, messages: 4 }))
  const other = await deployment.another()
  const clients = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      ChatClient.connect(n % 2 ? url : other.url, token.key, { agent: 'desk' }),
    ),
  )
  for (const client of clients) client.say('Hi')
  const isOutcome = ({ type }: { type: string }) => type === 'message' || type === 'ended'
  const ends = await until('each is answered or ended', () => {
    const outcomes = clients.map(({ frames }) => frames.find(isOutcome))
    return outcomes.every((frame) => frame !== undefined) && outcomes
  })
  const reasons = ends.flatMap((frame) => (frame.type === 'ended' ? [frame.reason] : []))
  assert.deepEqual(
    reasons,
    Array.from({ length: 8 }, () => 'failed'),
  )
  assert.equal(model.asked.length, 4)
  const refusedClient = clients[ends.findIndex(({ type }) => type === 'ended')]
  const log = await entriesOf(deployment, refusedClient?.call ?? '')
  assert.deepEqual(
    log.map(({ type }) => type),
    ['chat.started', 'user.message', 'error', 'call.ended'],
  )
  assert.deepEqual(log[2]?.data, {
    code: 'quota',
    detail: `org ${few.slug} has used its 4 messages of the last 24 hours in the sandbox: wait, or ask the operator for more`,
  })
  const holding = async () => done(await operator.get(`/v1/ops/orgs/${few.slug}`)).holding.messages
  assert.equal(await holding(), 4)
  deployment.clock.forward(24 * 3600 * 1000)
  assert.equal(await holding(), 0)
  const later = await ChatClient.connect(url, token.key, { agent: 'desk' })
  assert.equal(await later.ask('Hi'), 'Hello.')
})
