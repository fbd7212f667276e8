import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { newContact, startMessagingDeployment } from '../../../testing/messaging/messaging-deployment.ts'
import { until } from '../../../testing/until.ts'
import { hourMs, minuteMs, secondMs } from '../../foundation/clock.ts'

const messaging = await startMessagingDeployment()
after(() => messaging[Symbol.asyncDispose]())
const { deployment, model, org, platform } = messaging
const { clock } = deployment
const { runningGateways, writtenCalls } = deployment.gateway.services

type Desk = Awaited<ReturnType<typeof messaging.newDesk>>

beforeEach(() => {
  model.reply = ({ messages }) => `You said ${messages.at(-1)?.content}`
  model.asked.length = 0
  platform.fault = () => undefined
})

const stateOf = async (desk: Desk, contact: string) => {
  const [call] = await desk.calls(contact)
  return [call?.state, call?.reason]
}
/** So that nobody takes this gateway's apps for those of a dead one. */
const forward = async (ms: number) => {
  clock.forward(ms)
  await runningGateways.beat()
  writtenCalls.poll()
}
const runnerOf = async (call: string) =>
  (await deployment.sql('select runner from logs where id = $1', [call])).rows[0]?.runner

test('a conversation that was quiet for two hours ends, unwarned and with reason timeout, and the next message opens a new call (N-082, N-529, N-083, N-084)', async () => {
  const desk = await messaging.newDesk()
  const app = await desk.app()
  const contact = newContact()
  await desk.write(contact, 'one')
  await desk.texts(contact, 1)
  await forward(2 * hourMs - 30 * secondMs)
  await desk.write(contact, 'two')
  await desk.texts(contact, 2)
  await forward(2 * hourMs - 30 * secondMs)
  const call = await desk.call(contact)
  assert.deepEqual(await desk.entries(call, 'session.idleWarning', 'session.timeout', 'call.ended'), [])
  await forward(30 * secondMs)
  const { data } = await app.nextOf('call.ended')
  assert.deepEqual([data.reason, data.call.reason], ['timeout', 'timeout'])
  const ends = await desk.entries(call, 'session.idleWarning', 'session.timeout', 'call.ended')
  assert.deepEqual(
    ends.map((entry) => [entry.type, entry.data]),
    [['call.ended', { reason: 'timeout' }]],
  )
  await desk.write(contact, 'three')
  await desk.texts(contact, 3)
  const calls = await desk.calls(contact)
  assert.deepEqual(
    calls.map(({ id, state }) => [id === call, state]),
    [
      [true, 'ended'],
      [false, 'open'],
    ],
  )
})

test('quiet counts from the last turn of either side (ND-78)', async () => {
  const desk = await messaging.newDesk()
  await desk.app()
  const contact = newContact()
  const { client } = await org.person('supervisor')
  await desk.write(contact, 'one')
  await desk.texts(contact, 1)
  await forward(119 * minuteMs)
  const said = await client.post(`/v1/calls/${await desk.call(contact)}/verbs`, {
    verb: 'say',
    text: 'Still there?',
  })
  assert.equal(said.status, 202, said.text)
  await desk.texts(contact, 2)
  await forward(119 * minuteMs)
  assert.deepEqual(await stateOf(desk, contact), ['open', null])
  await forward(minuteMs)
  await until('it ends', async () => (await stateOf(desk, contact))[1] === 'timeout')
})

test('a held conversation goes quiet as an open one does (ND-81)', async () => {
  const desk = await messaging.newDesk()
  await desk.app()
  const contact = newContact()
  const { client } = await org.person('supervisor')
  await desk.write(contact, 'one')
  await desk.texts(contact, 1)
  const taken = await client.post(`/v1/calls/${await desk.call(contact)}/verbs`, { verb: 'takeover' })
  assert.equal(taken.status, 202, taken.text)
  await forward(2 * hourMs)
  await until('it ends', async () => (await stateOf(desk, contact))[1] === 'timeout')
})

test('a message that comes before anybody saw that two hours were over opens a new call (N-082, N-529, N-084)', async ({
  mock,
}) => {
  const desk = await messaging.newDesk()
  await desk.app()
  const contact = newContact()
  await desk.write(contact, 'one')
  await desk.texts(contact, 1)
  const { mock: poll } = mock.method(writtenCalls, 'poll', () => {}) // nobody looks at the call
  clock.forward(2 * hourMs)
  await runningGateways.beat()
  await desk.write(contact, 'two')
  poll.restore()
  await desk.texts(contact, 2)
  const calls = await desk.calls(contact)
  assert.deepEqual(
    calls.map(({ state, reason }) => [state, reason]),
    [
      ['ended', 'timeout'],
      ['open', null],
    ],
  )
})

test('a restarted gateway takes a conversation up with the time that was left, and with what was said before (N-093, N-094, ND-80, T-73)', async () => {
  const desk = await messaging.newDesk()
  const stopping = await deployment.another()
  stopping.clock.forward(clock.now().getTime() - Date.now())
  await stopping.gateway.services.runningGateways.beat()
  await desk.app()
  const [ana, luis] = [newContact(), newContact()]
  for (const contact of [ana, luis]) {
    await desk.write(contact, 'My name is Ana', {}, stopping)
    await desk.texts(contact, 1)
  }
  const call = await desk.call(ana)
  assert.equal(await runnerOf(call), stopping.gateway.services.runningGateways.id)
  clock.forward(110 * minuteMs)
  await runningGateways.beat()
  await stopping[Symbol.asyncDispose]()
  await until('it is taken up', async () => (await runnerOf(call)) === runningGateways.id)
  await desk.write(ana, 'What is it?')
  await desk.texts(ana, 2)
  assert.equal(await desk.call(ana), call)
  const read = model.asked.at(-1)?.messages.filter(({ role }) => role !== 'system')
  assert.deepEqual(
    read?.map(({ content }) => content),
    ['My name is Ana', 'You said My name is Ana', 'What is it?'],
  )
  await forward(9 * minuteMs)
  assert.deepEqual(await stateOf(desk, luis), ['open', null])
  await forward(2 * minuteMs)
  await until('the other ends', async () => (await stateOf(desk, luis))[1] === 'timeout')
  assert.deepEqual(await stateOf(desk, ana), ['open', null])
})

test('what was quiet for too long while no gateway ran ends at once, and a turn without an answer is answered (ND-80)', async () => {
  const desk = await messaging.newDesk()
  const stopping = await deployment.another()
  stopping.clock.forward(clock.now().getTime() - Date.now())
  await stopping.gateway.services.runningGateways.beat()
  const app = await desk.app()
  const [ana, luis] = [newContact(), newContact()]
  await desk.write(ana, 'Long ago', {}, stopping)
  await desk.texts(ana, 1)
  clock.forward(2 * hourMs)
  await runningGateways.beat()
  stopping.clock.forward(2 * hourMs)
  const held = Promise.withResolvers<string>()
  model.reply = () => held.promise
  await desk.write(luis, 'Now', {}, stopping)
  await until('it is asked', () => model.asked.length === 2)
  model.reply = () => 'After the restart.'
  await stopping[Symbol.asyncDispose]()
  held.resolve('Too late.')
  assert.deepEqual(await desk.texts(luis, 1), ['After the restart.'])
  await until('the old one ends', async () => (await stateOf(desk, ana))[1] === 'timeout')
  assert.deepEqual(await stateOf(desk, luis), ['open', null])
  await app.close()
})
