import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { contactOf } from '../../../testing/messaging/messaging-fake.ts'
import { lentKeys } from '../../../testing/calls/chat-deployment.ts'
import { GatewayProcess } from '../../../testing/gateway-process.ts'
import {
  messagingSettings,
  newContact,
  startMessagingDeployment,
} from '../../../testing/messaging/messaging-deployment.ts'
import { until } from '../../../testing/until.ts'

const messaging = await startMessagingDeployment()
after(() => messaging[Symbol.asyncDispose]())
const { deployment, model, org, platform } = messaging
const startProcess = () =>
  GatewayProcess.start(deployment, {
    SVC_PROVIDER_KEY_OPENAI: lentKeys.openai,
    SVC_PROVIDER_KEY_GROQ: lentKeys.groq,
    ...messagingSettings(platform),
  })

beforeEach(() => {
  model.reply = ({ messages }) => `You said ${messages.at(-1)?.content}`
  model.asked.length = 0
  platform.fault = () => undefined
  platform.onSent = () => {}
})

const posts = (contact: string) =>
  platform.requests.filter((request) => request.method === 'POST' && contactOf(request) === contact)
const never = new Promise<undefined>(() => {})

test('an answer that was on its way when its gateway died is not sent again if the platform says that it came (ND-80)', async () => {
  await using killed = await startProcess()
  const messagingAgent = await messaging.newMessagingAgent()
  await messagingAgent.app()
  const contact = newContact()
  platform.onSent = async () => await never
  await messagingAgent.write(contact, 'one', {}, killed)
  await messagingAgent.texts(contact, 1)
  await killed.kill()
  platform.onSent = () => {}
  const sent = platform.sent.find(({ to }) => to === contact)
  assert.ok(sent)
  await messagingAgent.status(sent, 'sent')
  await messagingAgent.write(contact, 'two')
  assert.deepEqual(await messagingAgent.texts(contact, 2), ['You said one', 'You said two'])
  assert.equal(posts(contact).length, 2)
  assert.equal(model.asked.length, 2)
})

test('one of which the platform says nothing is sent again after ten seconds, before anything else (ND-80)', async () => {
  await using killed = await startProcess()
  const messagingAgent = await messaging.newMessagingAgent()
  await messagingAgent.app()
  const contact = newContact()
  platform.fault = () => never
  await messagingAgent.write(contact, 'one', {}, killed)
  await until('it is on its way', () => posts(contact).length === 1)
  await killed.kill()
  platform.fault = () => undefined
  await messagingAgent.write(contact, 'two')
  assert.deepEqual(await messagingAgent.texts(contact, 2), ['You said one', 'You said two'])
  const opaque = posts(contact).map(({ body }) => body?.['biz_opaque_callback_data'])
  assert.equal(opaque[0], opaque[1])
  const { rows } = await deployment.sql(
    `select extract(epoch from min(settled_at) - (select opened_at from calls where id = call)) as waited_s
     from sends where call = $1 group by call`,
    [await messagingAgent.call(contact)],
  )
  assert.ok(Number(rows[0].waited_s) >= 9.9, `waited ${rows[0].waited_s} s`)
})

test('a gateway that stops waits for what is on its way, and another sends the rest (ND-80)', async () => {
  const stopping = await deployment.another()
  const messagingAgent = await messaging.newMessagingAgent()
  const app = await messagingAgent.app()
  const contact = newContact()
  await messagingAgent.write(contact, 'one', {}, stopping)
  await messagingAgent.texts(contact, 1)
  const call = await messagingAgent.call(contact)
  const sending = Promise.withResolvers<undefined>()
  platform.fault = () => sending.promise
  for (const text of ['two', 'three']) app.send({ type: 'call.say', call, text })
  await until('one is on its way', () => posts(contact).length === 2)
  const stopped = stopping[Symbol.asyncDispose]()
  platform.fault = () => undefined
  sending.resolve(undefined)
  await stopped
  assert.deepEqual(await messagingAgent.texts(contact, 3), ['You said one', 'two', 'three'])
  assert.equal(posts(contact).length, 3)
})

test('what a call that ended left to send when its gateway died is sent by another (N-353)', async () => {
  await using killed = await startProcess()
  const messagingAgent = await messaging.newMessagingAgent()
  await messagingAgent.app()
  const contact = newContact()
  await messagingAgent.write(contact, 'one', {}, killed)
  await messagingAgent.texts(contact, 1)
  const call = await messagingAgent.call(contact)
  platform.fault = () => never
  const { client } = await org.person('supervisor')
  const act = async (asked: object) => {
    const answer = await client.post(`/v1/calls/${call}/verbs`, asked)
    assert.equal(answer.status, 202, answer.text)
  }
  for (const text of ['two', 'three']) await act({ verb: 'say', text })
  await until('one is on its way', () => posts(contact).length === 2)
  await act({ verb: 'end' })
  await killed.kill()
  platform.fault = () => undefined
  assert.deepEqual(await messagingAgent.texts(contact, 3), ['You said one', 'two', 'three'])
  assert.equal(posts(contact).length, 4)
})

test('what a gateway lost sight of in a call that ended it sends at its next look (N-353)', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  await messagingAgent.app()
  const contact = newContact()
  await messagingAgent.write(contact, 'one')
  await messagingAgent.texts(contact, 1)
  const call = await messagingAgent.call(contact)
  const row = 'select * from sendings where call = $1'
  const [sending] = (await deployment.sql(row, [call])).rows
  const { client } = await org.person('supervisor')
  assert.equal((await client.post(`/v1/calls/${call}/verbs`, { verb: 'end' })).status, 202)
  await until('nothing is left', async () => (await deployment.sql(row, [call])).rows.length === 0)
  await deployment.sql('delete from sends where call = $1', [call])
  await deployment.sql('insert into sendings select * from json_populate_record(null::sendings, $1)', [
    JSON.stringify(sending),
  ])
  deployment.gateway.services.callOutlets.poll()
  assert.deepEqual(await messagingAgent.texts(contact, 2), ['You said one', 'You said one'])
})

test('a receipt settles only sends of its own org (ND-80)', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  await messagingAgent.app()
  const contact = newContact()
  await messagingAgent.write(contact, 'Hello')
  await messagingAgent.texts(contact, 1)
  const call = await messagingAgent.call(contact)
  const settled = async () => {
    const { rows } = await deployment.sql('select settled_at from sends where call = $1', [call])
    return rows[0].settled_at !== null
  }
  await until('it is settled', settled)
  await deployment.sql('update sends set settled_at = null where call = $1', [call])
  const { callOutlets } = deployment.gateway.services
  const [turn] = await messagingAgent.entries(call, 'agent.message')
  const receipt = {
    env: 'sandbox',
    agent: messagingAgent.agent,
    number: messagingAgent.number,
    phoneNumberId: messagingAgent.line.phone_number_id,
    contact,
    messageId: 'wamid.1',
    opaque: `${call}:${turn?.seq}:0`,
    status: 'sent',
    error: null,
  } as const
  await callOutlets.settle({ ...receipt, org: 'org_another' })
  assert.equal(await settled(), false)
  await callOutlets.settle({ ...receipt, org: org.id })
  assert.equal(await settled(), true)
})
