import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { webhookEventData, WebhookEvent } from '@switchroom/contract/webhook-events'
import { longestWebhookBodyBytes } from '@switchroom/contract/webhook-names'
import { Value } from 'typebox/value'
import { done } from '../../../testing/agents/test-agents.ts'
import { recordedWav } from '../../../testing/calls/recorded-wav.ts'
import { SpokenAgent } from '../../../testing/calls/spoken-calls.ts'
import { ends, range, said, TestLogs } from '../../../testing/calls/test-logs.ts'
import { newContact, startMessagingDeployment } from '../../../testing/messaging/messaging-deployment.ts'
import { until } from '../../../testing/until.ts'
import { webhookOrg } from '../../../testing/webhooks/webhook-deployment.ts'
import { WebhookReceiver } from '../../../testing/webhooks/webhook-receiver.ts'
import { lockWithAgentLog, requestCallback } from '../../calls/callbacks/callback-requests.ts'

const folder = await mkdtemp(join(tmpdir(), 'switchroom-recordings-'))
const receiver = await WebhookReceiver.start()
const messaging = await startMessagingDeployment({ SVC_RECORDINGS: folder })
after(async () => {
  await messaging[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})
const { deployment, model, org, platform } = messaging
const { database, log } = deployment.gateway.services
model.reply = () => 'Gladly.'
const { admin } = await webhookOrg(deployment, receiver, org)
const hook = done(await admin.post('/v1/webhooks', { url: receiver.at('127.0.0.1') }))
const token = await org.serverToken('sandbox')
const logs = new TestLogs(deployment, org, token)
const starts = { type: 'chat.started', data: {} }

/** The first event of this type that says so, which must be of the schema of its type. */
async function told(type: string, says: string) {
  const event = await until(`${type} is told of ${says}`, () =>
    receiver.received.find(({ body, text }) => body.type === type && text.includes(says)),
  )
  const schema = webhookEventData[event.body.type as keyof typeof webhookEventData]
  assert.deepEqual([...Value.Errors(WebhookEvent, event.body)], [])
  assert.deepEqual([...Value.Errors(schema, event.body.data)], [])
  return event.body
}

const kept = async (where: string, ...values: unknown[]) =>
  (await deployment.sql(`select from webhook_events where ${where}`, values)).rows.length

test('what a contact writes, and what becomes of the answers, is sent message by message', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  const routed = await told('number.routed', messagingAgent.number)
  assert.deepEqual([routed.agent, routed.data.agent], [messagingAgent.agent, messagingAgent.agent])
  assert.deepEqual(routed.data.changes.agent, { before: null, after: messagingAgent.agent })
  await messagingAgent.app()
  const contact = newContact()
  const id = await messagingAgent.write(contact, 'Is it "paused":? ')
  const begun = await told('call.started', contact)
  const { data } = await told('message.received', contact)
  assert.deepEqual(
    [data.call, data.message_id, data.number, data.form, data.name],
    [begun.call, id, messagingAgent.number, 'text', 'Ana'],
  )
  await messagingAgent.texts(contact, 1)
  const sent = await told('message.sent', contact)
  assert.deepEqual([sent.data.text, sent.data.contact, sent.data.part], ['Gladly.', contact, 0])
  const message = platform.sent.find(({ to }) => to === contact)
  assert.ok(message)
  assert.equal(sent.data.platform_id, message.id)
  await messagingAgent.status(message, 'delivered')
  assert.equal((await told('message.delivered', contact)).data.platform_id, message.id)
  await messagingAgent.status(message, 'read')
  await told('message.read', contact)
})

test('a message that the platform refuses is sent as failed, with its reason', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  await messagingAgent.app()
  const contact = newContact()
  platform.fault = () => ({ status: 400, code: 131026, message: '(#131026) Message undeliverable' })
  await messagingAgent.write(contact, 'Hello?')
  const { data } = await told('message.failed', contact)
  platform.fault = () => undefined
  assert.equal(data.error.code, 131026)
  assert.match(data.error.detail, /undeliverable/)
})

test('what is written in a chat is no message of the messaging channel', async () => {
  const call = await logs.open()
  await logs.write(call, [
    starts,
    { type: 'user.message', data: { text: 'Hi', messageId: '1', paused: false } },
    ends,
  ])
  await told('call.ended', call.id)
  assert.equal(await kept(`call = $1 and type = 'message.received'`, call.id), 0)
})

test('the end of a spoken call comes with its recording, and a later recording by itself', async () => {
  const desk = await new SpokenAgent(deployment, org, 'spoken').route()
  await desk.holdingApp()
  const upload = (call: string) =>
    desk.fleet.raw(`/v1/calls/${call}/recording`, {
      method: 'PUT',
      headers: { 'content-type': 'audio/wav' },
      body: new Uint8Array(recordedWav(100)),
    })
  const end = (call: string) => desk.append(call, [ends])
  const [first, second] = [await desk.open(), await desk.open()]
  await told('call.started', first)
  assert.equal((await upload(first)).status, 200)
  done(await end(first))
  const { data } = await told('call.ended', first)
  assert.deepEqual(
    [data.recording.duration_ms, data.recording.url],
    [100, `https://switchroom.test/v1/calls/${first}/recording`],
  )
  done(await end(second))
  assert.equal((await told('call.ended', second)).data.recording, null)
  assert.equal((await upload(second)).status, 200)
  assert.equal((await told('recording.stored', second)).data.duration_ms, 100)
})

test('a requested callback is sent once, although the agent’s own log has it too', async () => {
  const call = await logs.open()
  const number = '+34600111333'
  const of = { ...call, transport: 'chat', contact: null } as const
  await database.transaction(async (tx) => {
    await lockWithAgentLog(tx, log, of)
    await requestCallback(tx, log, of, { number, when: 'at noon', via: 'agent' })
  })
  const { data } = await told('callback.requested', number)
  assert.deepEqual([data.call, data.when, data.note, data.via], [call.id, 'at noon', null, 'agent'])
  assert.equal(await kept(`type = 'callback.requested' and source like '%' || $1 || '%'`, number), 1)
})

test('a transcript that is too long is left out, and the event says so', async () => {
  const call = await logs.open()
  await logs.write(call, [starts])
  for (const part of range(1, 5)) await logs.write(call, [said(`${part}${'word '.repeat(12_000)}`)])
  await logs.write(call, [ends])
  const { data } = await told('call.ended', call.id)
  assert.deepEqual([data.summary.truncated, data.summary.turns], [true, []])
  const longest = Math.max(...receiver.received.map(({ text }) => Buffer.byteLength(text)))
  assert.ok(longest <= longestWebhookBodyBytes)
})

test('entries that are moved to another partition are not told again', async () => {
  const call = await logs.open()
  await logs.write(call, [starts, ends])
  await told('call.ended', call.id)
  await deployment.sql(`delete from webhook_events where call = $1`, [call.id])
  await database.transaction(async (tx) => {
    const client = tx as unknown as { rows: (statement: { name: string; text: string }) => Promise<unknown> }
    await client.rows({ name: 'allow', text: `select set_config('switchroom.erasing', 'on', true)` })
    await client.rows({ name: 'move', text: `update entries set month = 0 where log = '${call.id}'` })
    await client.rows({ name: 'moved', text: `update logs set month = 0 where id = '${call.id}'` })
  })
  assert.equal(await kept('call = $1', call.id), 0)
  assert.equal((await log.read(call.id, 0, 10)).length, 2)
})

test('the erasure of a contact reaches what was and what is to be sent about them', async () => {
  const contact = '+34600111444'
  const [call, other] = [await logs.open(), await logs.open()]
  await deployment.sql(`update calls set contact = $2 where id = $1`, [call.id, contact])
  await logs.write(call, [starts, said('secret plums'), ends])
  await logs.write(other, [starts])
  const of = { ...other, transport: 'chat', contact: null } as const
  await database.transaction(async (tx) => {
    await lockWithAgentLog(tx, log, of)
    await requestCallback(tx, log, of, { number: contact, note: 'secret pears', via: 'agent' })
  })
  await logs.write(other, [ends])
  await told('call.ended', call.id)
  await told('call.ended', other.id)
  done(await admin.delete(`/v1/contacts/${encodeURIComponent(contact)}`))
  assert.equal(await kept('call = $1', call.id), 0)
  const { rows } = await deployment.sql(
    `select v.type from webhook_events v where call = $1 and v::text like '%' || $2 || '%'`,
    [other.id, contact],
  )
  assert.deepEqual(rows, [])
  assert.equal(await kept(`call = $1 and type = 'call.ended' and body is null`, other.id), 1)
  const left = await deployment.sql(
    `select from webhook_deliveries d where endpoint = $1 and not exists (select from webhook_events where id = d.event)`,
    [hook.id],
  )
  assert.equal(left.rows.length, 0)
})
