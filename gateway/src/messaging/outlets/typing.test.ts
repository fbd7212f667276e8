import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { done } from '../../../testing/agents/test-agents.ts'
import { newContact, startMessagingDeployment } from '../../../testing/messaging/messaging-deployment.ts'
import { hangs } from '../../../testing/providers/model-fake.ts'
import { until } from '../../../testing/until.ts'

const messaging = await startMessagingDeployment()
after(() => messaging[Symbol.asyncDispose]())
const { model, org, platform } = messaging
const eva = await org.person('supervisor')

beforeEach(() => {
  model.reply = ({ messages }) => `You said ${messages.at(-1)?.content}`
  platform.fault = () => undefined
  platform.reads.length = 0
})

test('when the agent begins to answer, the message is marked as read and the contact sees that an answer is being written', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  const app = await messagingAgent.app()
  const contact = newContact()
  model.reply = () => hangs
  const message_id = await messagingAgent.write(contact, 'Hello')
  await until('it is shown', () => platform.reads.length > 0)
  assert.deepEqual(platform.reads, [{ message_id, isTyping: true }])
  assert.deepEqual(platform.textsTo(contact), [])
  const post = platform.requests.find(({ body }) => body?.['status'] === 'read')
  assert.deepEqual(post?.body, {
    messaging_product: 'whatsapp',
    status: 'read',
    message_id,
    typing_indicator: { type: 'text' },
  })
  assert.equal(post?.token, messagingAgent.line.access_token)
  await app.close()
})

test('a platform that does not show it harms no answer', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  await messagingAgent.app()
  const contact = newContact()
  platform.fault = ({ body }) => (body?.['status'] === 'read' ? { status: 500 } : undefined)
  await messagingAgent.write(contact, 'Hello')
  assert.deepEqual(await messagingAgent.texts(contact, 1), ['You said Hello'])
})

test('what waits for an app or for the person who took over is not marked as read until a person reads the thread', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  const contact = newContact()
  const read = `/v1/agents/${messagingAgent.agent}/threads/${contact}/read`
  const waiting = await messagingAgent.write(contact, 'Anybody?')
  assert.deepEqual(platform.reads, [])
  done(await eva.client.put(read, {}))
  await until('it is marked', () => platform.reads.length === 1)
  assert.deepEqual(platform.reads, [{ message_id: waiting, isTyping: false }])
  await messagingAgent.app()
  await messagingAgent.texts(contact, 1)
  await until('the answer was shown', () => platform.reads.some(({ isTyping }) => isTyping))
  const call = await messagingAgent.call(contact)
  done(await eva.client.post(`/v1/calls/${call}/verbs`, { verb: 'takeover' }))
  const before = platform.reads.length
  const held = await messagingAgent.write(contact, 'Are you a person?')
  done(await eva.client.put(read, {}))
  await until('it is marked', () => platform.reads.length > before)
  assert.deepEqual(platform.reads.slice(before), [{ message_id: held, isTyping: false }])
})
