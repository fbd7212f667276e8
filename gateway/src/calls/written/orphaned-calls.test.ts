import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, beforeEach, test } from 'node:test'
import { Client } from 'pg'
import { AppClient } from '../../../testing/agents/app-client.ts'
import { entriesOf, lentKeys, startChatDeployment } from '../../../testing/calls/chat-deployment.ts'
import { hangs } from '../../../testing/providers/model-fake.ts'
import { GatewayProcess } from '../../../testing/gateway-process.ts'
import { until } from '../../../testing/until.ts'
import type { Statement } from '../../database/database.ts'
import { minuteMs, secondMs } from '../../foundation/clock.ts'
import { claimCalls, proofOfLife } from './written-calls.store.ts'

const chats = await startChatDeployment({ SVC_TOOL_TIMEOUT_S: '6' })
after(() => chats[Symbol.asyncDispose]())
const { deployment, key, model, second } = chats
const keys = { SVC_PROVIDER_KEY_OPENAI: lentKeys.openai, SVC_PROVIDER_KEY_GROQ: lentKeys.groq }

const tools = [
  { name: 'time', description: 'tells the time', parameters: { type: 'object', properties: {} } },
]
const askForTime: typeof model.reply = ({ messages }) => {
  const turns = messages.filter(({ role }) => role === 'user').length
  return messages.at(-1)?.role === 'tool'
    ? `It is ${messages.at(-1)?.content}.`
    : { calls: [{ id: `call_${turns}`, name: 'time' }] }
}
const toolCalls = ({ frames }: AppClient) =>
  frames
    .filter(({ type }: { type: string }) => type === 'llm.toolCall')
    .map(({ data }) => data.toolCalls[0].id)
const runnerOf = async (call: string) =>
  (await deployment.sql('select runner from logs where id = $1', [call])).rows[0]?.runner

beforeEach(() => {
  model.reply = () => 'Hello.'
  model.asked.length = 0
  second.asked.length = 0
})

test('a gateway that stops releases its calls, and another answers what was left, once', async () => {
  const stopping = await deployment.another()
  const agent = await chats.newAgent()
  const client = await agent.chat({}, stopping)
  await client.ask('One')
  const { call, seq } = client
  model.reply = () => hangs
  client.say('Two')
  await until('it is asked', () => model.open === 1)
  model.reply = () => 'The second.'
  await stopping[Symbol.asyncDispose]()
  assert.deepEqual(await client.closed(), [1001, 'this gateway is stopping: connect again'])
  const back = await agent.chat({ call, after: String(seq) })
  assert.equal((await back.next('message')).text, 'The second.')
  assert.equal(model.asked.length, 3)
  assert.equal((await entriesOf(deployment, call, 'agent.message')).length, 2)
  assert.equal(await runnerOf(call), deployment.gateway.services.runningGateways.id)
  assert.equal(await back.ask('Three'), 'The second.')
})

test('a tool whose result comes while the call changes hands is asked once, and the model continues with it', async () => {
  const stopping = await deployment.another()
  const agent = await chats.newAgent({ tools, instance: 'one' })
  const client = await agent.chat({}, stopping)
  model.reply = askForTime
  client.say('What time is it?')
  await until('the app is asked', () => toolCalls(agent.app).length === 1)
  const stopped = stopping[Symbol.asyncDispose]()
  agent.app.send({ type: 'tool.result', call: client.call, id: 'call_1', result: 'noon' })
  await stopped
  const back = await agent.chat({ call: client.call })
  assert.equal((await back.next('message')).text, 'It is noon.')
  assert.deepEqual(toolCalls(agent.app), ['call_1'])
  assert.equal(model.asked.length, 2)
})

// within the time that a test waits, which is less than the half minute after which a beat is missed
test('a gateway that is killed loses its calls within seconds, and what they waited for is answered', async () => {
  await using killed = await GatewayProcess.start(deployment, keys)
  const agent = await chats.newAgent()
  const client = await agent.chat({}, killed)
  await client.ask('One')
  model.reply = () => hangs
  client.say('Two')
  await until('it is asked', () => model.asked.length === 2)
  model.reply = () => 'The second.'
  await killed.kill()
  const back = await agent.chat({ call: client.call, after: String(client.seq) })
  assert.equal((await back.next('message')).text, 'The second.')
  assert.equal((await entriesOf(deployment, client.call, 'agent.message')).length, 2)
})

test('after a kill a tool is asked again of the same process alone, under the same id', async () => {
  await using killed = await GatewayProcess.start(deployment, keys)
  const agent = await chats.newAgent({ tools, instance: 'the-process' }, killed)
  const client = await agent.chat({}, killed)
  model.reply = askForTime
  client.say('What time is it?')
  await until('the app is asked', () => toolCalls(agent.app).length === 1)
  await killed.kill()
  const stranger = await AppClient.connect(deployment.url, key)
  await stranger.register(agent.slug, { tools, instance: 'another-process' })
  const same = await AppClient.connect(deployment.url, key)
  await same.register(agent.slug, { tools, instance: 'the-process' })
  await until('it is asked again', () => toolCalls(same).length === 1)
  same.send({ type: 'tool.result', call: client.call, id: 'call_1', result: 'noon' })
  const back = await agent.chat({ call: client.call })
  assert.equal((await back.next('message')).text, 'It is noon.')
  assert.deepEqual([toolCalls(same), toolCalls(stranger)], [['call_1'], []])
  assert.equal((await entriesOf(deployment, client.call, 'llm.toolCall')).length, 1)
})

test('a tool of a process that never comes back has failed, and runs nowhere else', async () => {
  await using killed = await GatewayProcess.start(deployment, { ...keys, SVC_TOOL_TIMEOUT_S: '6' })
  const agent = await chats.newAgent({ tools, instance: 'gone' }, killed)
  const client = await agent.chat({}, killed)
  model.reply = askForTime
  client.say('What time is it?')
  await until('the app is asked', () => toolCalls(agent.app).length === 1)
  await killed.kill()
  const stranger = await AppClient.connect(deployment.url, key)
  await stranger.register(agent.slug, { tools, instance: 'here' })
  const back = await agent.chat({ call: client.call })
  await until('it has failed', () => back.frames.some(({ type }) => type === 'message'), 30_000)
  assert.equal((await back.next('message')).text, 'It is the tool time did not answer within 6 seconds.')
  assert.deepEqual(toolCalls(stranger), [])
  back.say('And now?')
  await until('the app that drives the call now is asked', () => toolCalls(stranger).length === 1)
  stranger.send({ type: 'tool.result', call: client.call, id: 'call_2', result: 'noon' })
  assert.equal((await back.next('message')).text, 'It is noon.')
})

test('of two gateways that take calls up concurrently each gets its own, and nothing is answered twice', async () => {
  const stopping = await deployment.another()
  await using rival = await deployment.another()
  const agent = await chats.newAgent()
  const clients = await Promise.all(Array.from({ length: 12 }, () => agent.chat({}, stopping)))
  model.reply = () => hangs
  for (const client of clients) client.say('Hi')
  await until('all are asked', () => model.asked.length === 12)
  model.reply = () => 'Hello again.'
  await stopping[Symbol.asyncDispose]()
  for (const at of [deployment, rival]) at.gateway.services.writtenCalls.poll()
  for (const { call } of clients) {
    const back = await agent.chat({ call })
    assert.equal((await back.next('message')).text, 'Hello again.')
  }
  assert.equal(model.asked.length, 24)
  for (const { call } of clients) assert.equal((await entriesOf(deployment, call, 'agent.message')).length, 1)
})

/** A gateway that lives somewhere else, and runs this call from now on. */
async function takenElsewhere(call: string): Promise<AsyncDisposable & { id: string }> {
  const id = `gw_${randomBytes(8).toString('hex')}`
  const life = new Client({ connectionString: deployment.database.url })
  await life.connect()
  await life.query(proofOfLife, [id])
  await deployment.sql(`insert into gateways (id, seen_at) values ($1, now() + interval '1 day')`, [id])
  await deployment.sql('update logs set runner = $2 where id = $1', [call, id])
  return { id, [Symbol.asyncDispose]: () => life.end() }
}

test('a call that another gateway has adopted is released by the one that ran it', async () => {
  await using former = await deployment.another()
  const agent = await chats.newAgent()
  const client = await agent.chat({}, former)
  await client.ask('One')
  await using another = await takenElsewhere(client.call)
  client.say('Two')
  await until('it is asked', () => model.asked.length === 2)
  await until('it is released', () => former.log().includes('another gateway adopted a call that ran here'))
  client.say('Three')
  await until('they are heard', () => client.frames.filter(({ type }) => type === 'heard').length === 3)
  assert.equal((await entriesOf(deployment, client.call, 'agent.message')).length, 1)
  assert.deepEqual([model.asked.length, await runnerOf(client.call)], [2, another.id])
})

test('a call that one gateway is about to take is no other’s to take', async () => {
  const { call } = await (await chats.newAgent()).chat()
  await using another = await takenElsewhere(call)
  const { database } = deployment.gateway.services
  const taken = await database.transaction(async (tx) => {
    const mine = await claimCalls(tx, 'gw_first', [another.id], 10)
    const theirs = await database.transaction((rival) => claimCalls(rival, 'gw_second', [another.id], 10))
    const runners = { name: '', text: 'select runner as id from logs where id = $1' } as Statement<{
      id: string
    }>
    return [mine, theirs, await tx.rows(runners, call)]
  })
  const idsOf = (records: { id: string }[]) => records.map(({ id }) => id)
  assert.deepEqual(taken.map(idsOf), [[call], [], ['gw_first']])
})

test('a call that is taken up has the time left that it had', async () => {
  const stopping = await deployment.another()
  const agent = await chats.newAgent()
  const client = await agent.chat({}, stopping)
  await client.ask('One')
  deployment.clock.forward(29 * minuteMs + 30 * secondMs)
  await stopping[Symbol.asyncDispose]()
  const [warning] = await until('it is warned', async () => {
    const entries = await entriesOf(deployment, client.call, 'session.idleWarning')
    return entries.length > 0 && entries
  })
  assert.ok(warning?.data.remainingSeconds <= 30)
  deployment.clock.forward(30 * secondMs)
  await until('it ends', async () => (await entriesOf(deployment, client.call, 'call.ended')).length === 1)
})
