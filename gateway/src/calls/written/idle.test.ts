import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { entriesOf, startChatDeployment } from '../../../testing/calls/chat-deployment.ts'
import { until } from '../../../testing/until.ts'
import { minuteMs, secondMs } from '../../foundation/clock.ts'
import { callLog } from '../log/entries.ts'

const chats = await startChatDeployment()
after(() => chats[Symbol.asyncDispose]())
const { deployment, model } = chats
const { clock } = deployment
const { writtenCalls, database, log } = deployment.gateway.services

const quietTypes = ['session.idleWarning', 'session.timeout', 'call.ended']

test('an idle chat is warned a minute before, and then ends (N-460, N-461, N-462)', async () => {
  const agent = await chats.newAgent()
  const client = await agent.chat()
  await client.ask('Hi')
  clock.forward(29 * minuteMs - 30 * secondMs)
  writtenCalls.poll()
  await client.ask('Still here')
  clock.forward(29 * minuteMs - 30 * secondMs)
  writtenCalls.poll()
  await until('it was looked at', () => model.asked.length >= 2)
  assert.deepEqual(await entriesOf(deployment, client.call, ...quietTypes), [])
  clock.forward(31 * secondMs)
  const [warning] = await until('it is warned', async () => {
    const entries = await entriesOf(deployment, client.call, 'session.idleWarning')
    return entries.length > 0 && entries
  })
  const { remainingSeconds, idleTimeoutSeconds } = warning?.data ?? {}
  assert.deepEqual(Object.keys(warning?.data), ['remainingSeconds', 'idleTimeoutSeconds'])
  assert.ok(remainingSeconds <= 60 && remainingSeconds > 20)
  assert.equal(idleTimeoutSeconds, 1800)
  clock.forward(minuteMs)
  assert.equal((await client.next('ended')).reason, 'idle_timeout')
  const entries = await entriesOf(deployment, client.call, ...quietTypes)
  assert.deepEqual(
    entries.map(({ type, data }) => [type, data.reason]),
    [
      ['session.idleWarning', undefined],
      ['session.timeout', 'idle_timeout'],
      ['call.ended', 'idle_timeout'],
    ],
  )
  const told = await until('the app receives the events', () => {
    const frames = agent.app.frames.filter(({ type }: { type: string }) => quietTypes.includes(type))
    return frames.length === 3 && frames
  })
  assert.deepEqual(told[0].data, warning?.data)
  assert.deepEqual(told[1].data, { reason: 'idle_timeout' })
})

test('a word after the warning keeps the chat, and a turn that takes long is not silence', async () => {
  const agent = await chats.newAgent()
  const client = await agent.chat()
  clock.forward(29 * minuteMs + secondMs)
  await until(
    'it is warned',
    async () => (await entriesOf(deployment, client.call, 'session.idleWarning')).length === 1,
  )
  const answering = Promise.withResolvers<string>()
  model.reply = () => answering.promise
  client.say('Wait')
  await client.next('heard')
  await until('it is asked', () => model.open === 1)
  clock.forward(31 * minuteMs)
  writtenCalls.poll()
  writtenCalls.poll()
  answering.resolve('Here you are.')
  assert.equal((await client.next('message')).text, 'Here you are.')
  assert.deepEqual(await entriesOf(deployment, client.call, 'session.timeout', 'call.ended'), [])
})

test('a message of the last moment, which the look has not seen, keeps the chat', async () => {
  const agent = await chats.newAgent()
  const client = await agent.chat()
  model.reply = () => 'Just in time.'
  clock.forward(31 * minuteMs)
  const ref = callLog({ id: client.call, org: chats.org.id, env: 'sandbox', agent: agent.slug })
  await database.transaction(async (tx) => {
    await log.lock(tx, client.call)
    writtenCalls.poll()
    await until('the look waits', async () => {
      const { rowCount } = await deployment.sql(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return Boolean(rowCount)
    })
    await log.appendIn(tx, ref, [{ type: 'user.message', data: { text: 'Wait', messageId: 'm' } }])
  })
  assert.equal((await client.next('message')).text, 'Just in time.')
  assert.deepEqual(await entriesOf(deployment, client.call, 'session.timeout', 'call.ended'), [])
})
