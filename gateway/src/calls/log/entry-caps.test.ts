import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startChatDeployment } from '../../../testing/calls/chat-deployment.ts'
import { refused } from '../../../testing/client.ts'
import { noLimit, type TestOrg } from '../../../testing/deployment.ts'
import { entriesOf, SpokenAgent, typesOf } from '../../../testing/calls/spoken-calls.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { ends, said, TestLogs } from '../../../testing/calls/test-logs.ts'
import { until } from '../../../testing/until.ts'

const chatting = await startChatDeployment()
after(() => chatting[Symbol.asyncDispose]())
const { deployment } = chatting
const other = await deployment.another()
const { operator, sql } = deployment

const capEntries = async ({ slug }: Pick<TestOrg, 'slug'>, entries: number) =>
  done(await operator.put(`/v1/ops/orgs/${slug}/quotas`, { ...noLimit, entries }))
const tells = (count: number) => Array.from({ length: count }, (_, n) => said(`${n}`))
const sentenceOf = (call: string, most: number) =>
  `call ${call} has the ${most} entries that a call may have, and ends: open another, or ask the operator for more`
const isEnded = async (call: string) =>
  (await sql('select ended_at from calls where id = $1', [call])).rows[0].ended_at !== null

test('a worker that appends more entries than a call may have is refused, and the call ends', async () => {
  const org = await deployment.newOrg()
  await capEntries(org, 10)
  const desk = await new SpokenAgent(deployment, org, 'desk').route()
  await desk.holdingApp()
  const call = await desk.open() // which wrote one entry
  done(await desk.append(call, tells(9), 1))
  refused(await desk.append(call, tells(1), 2), 409, sentenceOf(call, 10))
  await until('the call has ended', () => isEnded(call))
  const entries = await entriesOf(deployment, call)
  assert.deepEqual(typesOf(entries).slice(-2), ['error', 'call.ended'])
  assert.deepEqual(entries.at(-2)?.data, { code: 'quota', detail: sentenceOf(call, 10) })
  assert.equal(entries.length, 12)
  refused(await desk.append(call, tells(1), 2), 409, 'this call has ended')
})

test('without a word of the operator a call has 20000 entries', async () => {
  const org = await deployment.newOrg()
  const desk = await new SpokenAgent(deployment, org, 'desk').route()
  await desk.holdingApp()
  const call = await desk.open()
  await sql('update logs set seq = 19999 where id = $1', [call])
  done(await desk.append(call, tells(1), 1))
  refused(await desk.append(call, tells(1), 2), 409, sentenceOf(call, 20_000))
})

test('a call that has as many entries as it may have still takes what broke, and its end', async () => {
  const org = await deployment.newOrg()
  await capEntries(org, 3)
  const desk = await new SpokenAgent(deployment, org, 'desk').route()
  await desk.holdingApp()
  const call = await desk.open()
  done(await desk.append(call, tells(2), 1))
  done(await desk.append(call, [{ type: 'error', data: { code: 'x', detail: 'broke' } }], 2))
  done(await desk.append(call, [...tells(2), ends], 3))
  assert.deepEqual(typesOf(await entriesOf(deployment, call)).slice(-2), ['user.message', 'call.ended'])
  const flooded = await desk.open()
  done(await desk.append(flooded, tells(2), 1))
  const errors = Array.from({ length: 500 }, () => ({ type: 'error', data: { code: 'x', detail: 'broke' } }))
  done(await desk.append(flooded, errors, 2))
  done(await desk.append(flooded, errors, 3))
  refused(await desk.append(flooded, errors.slice(0, 1), 4), 409, sentenceOf(flooded, 3))
  await until('it has ended', () => isEnded(flooded))
})

test('of two gateways that write concurrently neither passes the cap', async () => {
  const logs = await TestLogs.of(deployment)
  await capEntries(logs.org, 50)
  const log = await logs.open()
  const writers = [deployment, other].map(({ gateway }) => gateway.services.log)
  const write = async (n: number) => writers[n % 2]?.append(log, [said(`${n}`)])
  const written = await Promise.allSettled(Array.from({ length: 80 }, (_, n) => write(n)))
  const kept = written.filter(({ status }) => status === 'fulfilled').length
  await until('the call has ended', () => isEnded(log.id))
  const entries = typesOf(await entriesOf(deployment, log.id))
  assert.equal(entries.filter((type) => type === 'user.message').length, kept)
  assert.ok(kept <= 50, `${kept} messages`)
  assert.deepEqual(entries.slice(-2), ['error', 'call.ended'])
})

test('a chat with as many entries as it may have sends its client the reason, and ends', async () => {
  await capEntries(chatting.org, 2)
  const agent = await chatting.newAgent()
  const chat = await agent.chat()
  chat.say('one', 'm1')
  chat.say('two', 'm2')
  chat.say('three', 'm3')
  const { detail } = await chat.next('error')
  assert.equal(detail, sentenceOf(chat.call, 2))
  await chat.next('ended')
  assert.equal(typesOf(await entriesOf(deployment, chat.call)).at(-1), 'call.ended')
})

test("an agent's own log has no cap", async () => {
  const logs = await TestLogs.of(deployment)
  await capEntries(logs.org, 1)
  const own = {
    id: `${logs.org.id}/sandbox/desk`,
    org: logs.org.id,
    env: 'sandbox',
    agent: 'desk',
    call: null,
  } as const
  await logs.open()
  await logs.write(own, tells(5))
  assert.equal((await entriesOf(deployment, own.id)).length, 5)
})
