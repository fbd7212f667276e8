import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { contactOf } from '../../../testing/messaging/messaging-fake.ts'
import { newContact, startMessagingDeployment } from '../../../testing/messaging/messaging-deployment.ts'
import { until } from '../../../testing/until.ts'

const messaging = await startMessagingDeployment()
after(() => messaging[Symbol.asyncDispose]())
const { deployment, model, platform } = messaging

beforeEach(() => {
  model.reply = ({ messages }) => `You said ${messages.at(-1)?.content}`
  model.asked.length = 0
  platform.fault = () => undefined
})

/** A promise that the test settles. */
const gate = () => Promise.withResolvers<undefined>()

test('the first message of a contact opens a messaging call on the app that holds the agent, and is answered (N-008, N-073, N-074, N-351, ND-78)', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  const app = await messagingAgent.app()
  const contact = newContact()
  const messageId = await messagingAgent.write(contact, 'Hello', { name: 'Ana Pérez' })
  assert.deepEqual(await messagingAgent.texts(contact, 1), ['You said Hello'])
  const call = await messagingAgent.call(contact)
  const started = await app.nextOf('msgapp.started')
  const { startedAt, ...told } = started.data.call
  assert.equal(typeof startedAt, 'number')
  assert.deepEqual(told, {
    id: call,
    agent: messagingAgent.agent,
    from: contact,
    to: messagingAgent.number,
    direction: 'inbound',
    transport: 'msgapp',
    metadata: {},
    language: null,
    extension: null,
    routedFrom: null,
    lineTranscript: [],
  })
  const entries = await messagingAgent.entries(call, 'msgapp.started', 'user.message', 'agent.message')
  assert.deepEqual(
    entries.map(({ type, data: { text, source } }) => [type, text, source]),
    [
      ['msgapp.started', undefined, undefined],
      ['user.message', 'Hello', undefined],
      ['agent.message', 'You said Hello', 'model'],
    ],
  )
  assert.equal(entries[1]?.data.messageId, messageId)
})

test('further messages of a contact continue the same call, those of another open their own (N-008, N-081)', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  await messagingAgent.app()
  const [ana, luis] = [newContact(), newContact()]
  await messagingAgent.write(ana, 'one')
  await messagingAgent.texts(ana, 1)
  await messagingAgent.write(luis, 'mine')
  await messagingAgent.write(ana, 'two')
  assert.deepEqual(await messagingAgent.texts(ana, 2), ['You said one', 'You said two'])
  await messagingAgent.texts(luis, 1)
  assert.notEqual(await messagingAgent.call(ana), await messagingAgent.call(luis))
  const turns = await messagingAgent.entries(await messagingAgent.call(ana), 'user.message')
  assert.deepEqual(
    turns.map(({ data }) => data.text),
    ['one', 'two'],
  )
})

test('one contact who writes to two numbers has two conversations (N-049)', async () => {
  const [first, second] = [await messaging.newMessagingAgent(), await messaging.newMessagingAgent()]
  await first.app()
  await second.app()
  const contact = newContact()
  await first.write(contact, 'to the first')
  await second.write(contact, 'to the second')
  await first.texts(contact, 2)
  const calls = await first.calls(contact)
  assert.equal(calls.length, 2)
  const from = platform.sent.filter(({ to }) => to === contact).map(({ phone_number_id }) => phone_number_id)
  assert.deepEqual(from.toSorted(), [first, second].map(({ line }) => line.phone_number_id).toSorted())
})

test('two first messages of a contact at the same time make one call, on any gateways (N-008, N-081)', async () => {
  const other = await deployment.another()
  const messagingAgent = await messaging.newMessagingAgent()
  await messagingAgent.app()
  const contact = newContact()
  const texts = ['a', 'b', 'c', 'd', 'e', 'f']
  await Promise.all(
    texts.map((text, at) => messagingAgent.write(contact, text, {}, at % 2 === 0 ? deployment : other)),
  )
  const answers = await messagingAgent.texts(contact, texts.length)
  const turns = await messagingAgent.entries(await messagingAgent.call(contact), 'user.message')
  const asked = turns.map(({ data }) => String(data.text))
  assert.deepEqual(asked.toSorted(), texts)
  assert.deepEqual(
    answers,
    asked.map((text) => `You said ${text}`),
  )
  await other[Symbol.asyncDispose]()
})

test('messages of a contact are answered one at a time and in order: the model reads the second once the first answer was sent; others are not delayed (N-050, N-051, ND-78, T-69)', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  await messagingAgent.app()
  const [ana, luis] = [newContact(), newContact()]
  const sending = gate()
  platform.fault = (request) => (contactOf(request) === ana ? sending.promise : undefined)
  for (const text of ['one', 'two', 'three']) await messagingAgent.write(ana, text)
  await until('the first answer is on its way', () =>
    platform.requests.some((request) => contactOf(request) === ana),
  )
  await messagingAgent.write(luis, 'and me')
  assert.deepEqual(await messagingAgent.texts(luis, 1), ['You said and me'])
  assert.deepEqual(model.heard, ['user: one', 'user: and me'])
  sending.resolve(undefined)
  assert.deepEqual(await messagingAgent.texts(ana, 3), ['You said one', 'You said two', 'You said three'])
  assert.deepEqual(model.heard, ['user: one', 'user: and me', 'user: two', 'user: three'])
  const [, , second] = model.asked
  assert.deepEqual(
    second?.messages.filter(({ role }) => role !== 'system').map(({ content }) => content),
    ['one', 'You said one', 'two'],
  )
})

test('no greeting is said to a contact who wrote first (ND-78)', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  await messagingAgent.app({ declares: { greeting: { say: 'Welcome!' } } })
  const contact = newContact()
  await messagingAgent.write(contact, 'Hello')
  await messagingAgent.write(contact, 'Again')
  assert.deepEqual(await messagingAgent.texts(contact, 2), ['You said Hello', 'You said Again'])
})

test('a message that is a day old when it comes is read and dropped (N-080, N-528, ND-79)', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  await messagingAgent.app()
  const contact = newContact()
  const sentAt = new Date(deployment.clock.now().getTime() - 24 * 3_600_000)
  const came = { contact, text: { body: 'late' }, sentAt, id: 'wamid.late' }
  assert.equal((await messagingAgent.deliver(came)).status, 200)
  assert.deepEqual(await messagingAgent.calls(contact), [])
  assert.deepEqual(await messagingAgent.agentEntries('message.waiting'), [])
  const { rows } = await deployment.sql('select read_at from message_claims where message_id = $1', [came.id])
  assert.notEqual(rows[0].read_at, null)
})

test('a number that leads to another agent begins a new conversation with that one', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  await messagingAgent.app()
  const contact = newContact()
  await messagingAgent.write(contact, 'to the first')
  await messagingAgent.texts(contact, 1)
  const other = await messaging.newAgent()
  await deployment.sql('update numbers set agent = $2 where number = $1', [messagingAgent.number, other.slug])
  await messagingAgent.write(contact, 'to the second')
  await messagingAgent.texts(contact, 2)
  const { rows } = await deployment.sql('select agent from calls where contact = $1 order by ordinal', [
    contact,
  ])
  assert.deepEqual(
    rows.map(({ agent }) => agent),
    [messagingAgent.agent, other.slug],
  )
})

test('erasing a contact forgets their conversations and what waits of them', async () => {
  const [messagingAgent, unheld] = [await messaging.newMessagingAgent(), await messaging.newMessagingAgent()]
  await messagingAgent.app()
  const [ana, luis] = [newContact(), newContact()]
  for (const contact of [ana, luis]) {
    await messagingAgent.write(contact, 'Hello')
    await messagingAgent.texts(contact, 1)
    await unheld.write(contact, 'Anybody?')
  }
  const { client } = await messaging.org.person('admin', { production: true })
  const erased = await client.delete(`/v1/contacts/${encodeURIComponent(ana)}`)
  assert.equal(erased.status, 204, erased.text)
  for (const table of ['conversations', 'waiting_messages', 'known_contacts']) {
    const { rows } = await deployment.sql(`select contact from ${table} where contact = any($1)`, [
      [ana, luis],
    ])
    assert.deepEqual(new Set(rows.map(({ contact }) => contact)), new Set([luis]), table)
  }
  await messagingAgent.write(ana, 'Hello again')
  await messagingAgent.texts(ana, 2)
})
