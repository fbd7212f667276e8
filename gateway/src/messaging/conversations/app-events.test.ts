import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import type { AppClient } from '../../../testing/agents/app-client.ts'
import { newContact, startMessagingDeployment } from '../../../testing/messaging/messaging-deployment.ts'
import { until } from '../../../testing/until.ts'

const messaging = await startMessagingDeployment()
after(() => messaging[Symbol.asyncDispose]())
const { deployment, model, org, platform } = messaging

beforeEach(() => {
  model.reply = ({ messages }) => `You said ${messages.at(-1)?.content}`
})

const seen = (app: AppClient, type: string) =>
  app.frames.filter((frame: { type: string }) => frame.type === type)

test('an app learns of a messaging call by msgapp.started with the call and the session, and by no other start (N-074, N-422, T-98)', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  const app = await messagingAgent.app()
  const contact = newContact()
  await messagingAgent.write(contact, 'Hello', { name: 'Ana Pérez' })
  await messagingAgent.texts(contact, 1)
  await messagingAgent.write(contact, 'Again')
  await messagingAgent.texts(contact, 2)
  await app.upTo('msgapp.response')
  const started = app.frames.filter(({ type }: { type: string }) => type.endsWith('.started'))
  assert.deepEqual(
    started.map(({ type, agent, call, data }) => [type, agent, call, data.call.id, data.session]),
    [
      [
        'msgapp.started',
        messagingAgent.agent,
        await messagingAgent.call(contact),
        await messagingAgent.call(contact),
        { contactPhone: contact, contactName: 'Ana Pérez' },
      ],
    ],
  )
})

test('what the contact writes and what the agent says are sent with their payloads; source only if a person wrote (N-484, N-485, N-488, N-489, ND-112)', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  const app = await messagingAgent.app()
  const contact = newContact()
  const messageId = await messagingAgent.write(contact, 'Hello', { name: 'Ana' })
  await messagingAgent.texts(contact, 1)
  const sessionId = await messagingAgent.call(contact)
  app.send({ type: 'call.say', call: sessionId, text: 'By the way' })
  await messagingAgent.texts(contact, 2)
  const { client } = await org.person('supervisor')
  const said = await client.post(`/v1/calls/${sessionId}/verbs`, { verb: 'say', text: 'I am a person' })
  assert.equal(said.status, 202, said.text)
  await until('everything came', () => seen(app, 'msgapp.response').length === 3)
  assert.deepEqual(
    seen(app, 'msgapp.message').map(({ data }) => data),
    [{ sessionId, from: contact, name: 'Ana', type: 'text', text: 'Hello', messageId, paused: false }],
  )
  assert.deepEqual(
    seen(app, 'msgapp.response').map(({ data }) => data),
    [
      { sessionId, to: contact, text: 'You said Hello' },
      { sessionId, to: contact, text: 'By the way' },
      { sessionId, to: contact, text: 'I am a person', source: 'human' },
    ],
  )
  assert.deepEqual(
    seen(app, 'user.message').map(({ data }) => data),
    [{ text: 'Hello', messageId }],
  )
})

test('receipts and files are shown to the app of an open conversation, on any gateway, and never kept (N-485, N-490, ND-75)', async () => {
  const other = await deployment.another()
  const messagingAgent = await messaging.newMessagingAgent()
  const app = await messagingAgent.app({}, other)
  const contact = newContact()
  await messagingAgent.write(contact, 'Hello')
  await messagingAgent.texts(contact, 1)
  const call = await messagingAgent.call(contact)
  await until('the answer came', () => seen(app, 'msgapp.response').length === 1)
  const before = await messagingAgent.entries(call)
  const sent = platform.sent.find(({ to }) => to === contact)
  assert.ok(sent)
  for (const status of ['sent', 'delivered', 'read', 'failed'])
    assert.deepEqual(await messagingAgent.status(sent, status), { status: 200, body: { received: 0 } })
  const image = { id: 'wamid.image', type: 'image', image: { id: '1', caption: 'Look' }, name: 'Ana' }
  const document = { id: 'wamid.document', type: 'document', document: { id: '2' }, name: 'Ana' }
  const video = { id: 'wamid.video', type: 'video', video: { id: '3' }, name: 'Ana' }
  for (const file of [image, document, video]) {
    const came = await messagingAgent.deliver({ contact, ...file })
    assert.deepEqual(came, { status: 200, body: { received: 0 } })
  }
  await until('the last is shown', () => seen(app, 'msgapp.message').length === 4)
  assert.deepEqual(
    seen(app, 'msgapp.status').map(({ data }) => data),
    ['sent', 'delivered', 'read', 'failed'].map((status) => ({
      status,
      recipient: contact,
      messageId: sent.id,
    })),
  )
  const told = { sessionId: call, from: contact, name: 'Ana', paused: false }
  assert.deepEqual(
    seen(app, 'msgapp.message')
      .slice(1)
      .map(({ data }) => data),
    [
      { ...told, type: 'image', text: 'Look', messageId: 'wamid.image' },
      { ...told, type: 'document', text: '', messageId: 'wamid.document' },
      { ...told, type: 'video', text: '', messageId: 'wamid.video' },
    ],
  )
  assert.deepEqual(await messagingAgent.entries(call), before)
  const { rows } = await deployment.sql(`select from message_claims where message_id like 'wamid.image%'`)
  assert.equal(rows.length, 0)
  await other[Symbol.asyncDispose]()
})

test('without an open conversation a file and a receipt are shown to no app (ND-75)', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  const app = await messagingAgent.app()
  const contact = newContact()
  const came = await messagingAgent.deliver({ contact, type: 'image', image: { id: '1' } })
  assert.equal(came.status, 200)
  const sent = { id: 'wamid.1', phone_number_id: '', token: '', to: contact, text: '', opaque: undefined }
  assert.equal((await messagingAgent.status(sent, 'read')).status, 200)
  await messagingAgent.write(contact, 'Hello')
  await messagingAgent.texts(contact, 1)
  await app.nextOf('msgapp.response')
  assert.deepEqual([seen(app, 'msgapp.message').length, seen(app, 'msgapp.status').length], [1, 0])
})

test('an app gets the transcript of a voice note (N-485, N-486)', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  const app = await messagingAgent.app()
  const contact = newContact()
  const heard = {
    org: org.id,
    env: 'sandbox',
    agent: messagingAgent.agent,
    number: messagingAgent.number,
    phoneNumberId: messagingAgent.line.phone_number_id,
    contact,
    name: null,
    messageId: 'wamid.voice',
    sentAt: deployment.clock.now(),
    type: 'audio',
    text: 'Are you open today?',
  } as const
  messagingAgent.wrote(contact)
  assert.equal(await deployment.gateway.services.conversations.receive(heard, async () => {}), 'queued')
  assert.deepEqual(await messagingAgent.texts(contact, 1), ['You said Are you open today?'])
  const { data } = await app.nextOf('msgapp.message')
  const { messageId, type, text } = heard
  const sessionId = await messagingAgent.call(contact)
  assert.deepEqual(data, { sessionId, from: contact, name: '', type, text, messageId, paused: false })
})
