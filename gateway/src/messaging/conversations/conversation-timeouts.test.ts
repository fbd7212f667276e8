import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import {
  newContact,
  startMessagingDeployment,
  type MessagingAgent,
} from '../../../testing/messaging/messaging-deployment.ts'
import { until } from '../../../testing/until.ts'
import { hourMs, minuteMs, secondMs } from '../../foundation/clock.ts'

const messaging = await startMessagingDeployment()
after(() => messaging[Symbol.asyncDispose]())
const { deployment, model, org, platform } = messaging
const { clock } = deployment
const { runningGateways, writtenCalls } = deployment.gateway.services

beforeEach(() => {
  model.reply = ({ messages }) => `You said ${messages.at(-1)?.content}`
  model.asked.length = 0
  platform.fault = () => undefined
})

const stateOf = async (messagingAgent: MessagingAgent, contact: string) => {
  const [call] = await messagingAgent.calls(contact)
  return [call?.state, call?.reason]
}
/** So that no gateway takes this one's apps for those of a dead one. */
const forward = async (ms: number) => {
  clock.forward(ms)
  await runningGateways.beat()
  writtenCalls.poll()
}
const runnerOf = async (call: string) =>
  (await deployment.sql('select runner from logs where id = $1', [call])).rows[0]?.runner

test('a conversation that was quiet for two hours ends, unwarned and with reason timeout, and the next message opens a new call (N-082, N-529, N-083, N-084)', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  const app = await messagingAgent.app()
  const contact = newContact()
  await messagingAgent.write(contact, 'one')
  await messagingAgent.texts(contact, 1)
  await forward(2 * hourMs - 30 * secondMs)
  await messagingAgent.write(contact, 'two')
  await messagingAgent.texts(contact, 2)
  await forward(2 * hourMs - 30 * secondMs)
  const call = await messagingAgent.call(contact)
  assert.deepEqual(
    await messagingAgent.entries(call, 'session.idleWarning', 'session.timeout', 'call.ended'),
    [],
  )
  await forward(30 * secondMs)
  const { data } = await app.nextOf('call.ended')
  assert.deepEqual([data.reason, data.call.reason], ['timeout', 'timeout'])
  const ends = await messagingAgent.entries(call, 'session.idleWarning', 'session.timeout', 'call.ended')
  assert.deepEqual(
    ends.map((entry) => [entry.type, entry.data]),
    [['call.ended', { reason: 'timeout' }]],
  )
  await messagingAgent.write(contact, 'three')
  await messagingAgent.texts(contact, 3)
  const calls = await messagingAgent.calls(contact)
  assert.deepEqual(
    calls.map(({ id, state }) => [id === call, state]),
    [
      [true, 'ended'],
      [false, 'open'],
    ],
  )
})

test('quiet counts from the last turn of either side (ND-78)', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  await messagingAgent.app()
  const contact = newContact()
  const { client } = await org.person('supervisor')
  await messagingAgent.write(contact, 'one')
  await messagingAgent.texts(contact, 1)
  await forward(119 * minuteMs)
  const said = await client.post(`/v1/calls/${await messagingAgent.call(contact)}/verbs`, {
    verb: 'say',
    text: 'Still there?',
  })
  assert.equal(said.status, 202, said.text)
  await messagingAgent.texts(contact, 2)
  await forward(119 * minuteMs)
  assert.deepEqual(await stateOf(messagingAgent, contact), ['open', null])
  await forward(minuteMs)
  await until('it ends', async () => (await stateOf(messagingAgent, contact))[1] === 'timeout')
})

test('a held conversation goes quiet as an open one does (ND-81)', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  await messagingAgent.app()
  const contact = newContact()
  const { client } = await org.person('supervisor')
  await messagingAgent.write(contact, 'one')
  await messagingAgent.texts(contact, 1)
  const taken = await client.post(`/v1/calls/${await messagingAgent.call(contact)}/verbs`, {
    verb: 'takeover',
  })
  assert.equal(taken.status, 202, taken.text)
  await forward(2 * hourMs)
  await until('it ends', async () => (await stateOf(messagingAgent, contact))[1] === 'timeout')
})

test('a message that comes before a gateway saw that two hours were over opens a new call (N-082, N-529, N-084)', async ({
  mock,
}) => {
  const messagingAgent = await messaging.newMessagingAgent()
  await messagingAgent.app()
  const contact = newContact()
  await messagingAgent.write(contact, 'one')
  await messagingAgent.texts(contact, 1)
  const { mock: poll } = mock.method(writtenCalls, 'poll', () => {}) // no gateway polls the call
  clock.forward(2 * hourMs)
  await runningGateways.beat()
  await messagingAgent.write(contact, 'two')
  poll.restore()
  await messagingAgent.texts(contact, 2)
  const calls = await messagingAgent.calls(contact)
  assert.deepEqual(
    calls.map(({ state, reason }) => [state, reason]),
    [
      ['ended', 'timeout'],
      ['open', null],
    ],
  )
})

test('a restarted gateway takes a conversation up with the time that was left, and with what was said before (N-093, N-094, ND-80, T-73)', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  const stopping = await deployment.another()
  stopping.clock.forward(clock.now().getTime() - Date.now())
  await stopping.gateway.services.runningGateways.beat()
  await messagingAgent.app()
  const [ana, luis] = [newContact(), newContact()]
  for (const contact of [ana, luis]) {
    await messagingAgent.write(contact, 'My name is Ana', {}, stopping)
    await messagingAgent.texts(contact, 1)
  }
  const call = await messagingAgent.call(ana)
  assert.equal(await runnerOf(call), stopping.gateway.services.runningGateways.id)
  clock.forward(110 * minuteMs)
  await runningGateways.beat()
  await stopping[Symbol.asyncDispose]()
  await until('it is taken up', async () => (await runnerOf(call)) === runningGateways.id)
  await messagingAgent.write(ana, 'What is it?')
  await messagingAgent.texts(ana, 2)
  assert.equal(await messagingAgent.call(ana), call)
  const read = model.asked.at(-1)?.messages.filter(({ role }) => role !== 'system')
  assert.deepEqual(
    read?.map(({ content }) => content),
    ['My name is Ana', 'You said My name is Ana', 'What is it?'],
  )
  await forward(9 * minuteMs)
  assert.deepEqual(await stateOf(messagingAgent, luis), ['open', null])
  await forward(2 * minuteMs)
  await until('the other ends', async () => (await stateOf(messagingAgent, luis))[1] === 'timeout')
  assert.deepEqual(await stateOf(messagingAgent, ana), ['open', null])
})

test('what was quiet for too long while no gateway ran ends at once, and a turn without an answer is answered (ND-80)', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  const stopping = await deployment.another()
  stopping.clock.forward(clock.now().getTime() - Date.now())
  await stopping.gateway.services.runningGateways.beat()
  const app = await messagingAgent.app()
  const [ana, luis] = [newContact(), newContact()]
  await messagingAgent.write(ana, 'Long ago', {}, stopping)
  await messagingAgent.texts(ana, 1)
  clock.forward(2 * hourMs)
  await runningGateways.beat()
  stopping.clock.forward(2 * hourMs)
  const held = Promise.withResolvers<string>()
  model.reply = () => held.promise
  await messagingAgent.write(luis, 'Now', {}, stopping)
  await until('it is asked', () => model.asked.length === 2)
  model.reply = () => 'After the restart.'
  await stopping[Symbol.asyncDispose]()
  held.resolve('Too late.')
  assert.deepEqual(await messagingAgent.texts(luis, 1), ['After the restart.'])
  await until('the old one ends', async () => (await stateOf(messagingAgent, ana))[1] === 'timeout')
  assert.deepEqual(await stateOf(messagingAgent, luis), ['open', null])
  await app.close()
})
