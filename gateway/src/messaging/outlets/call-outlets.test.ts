import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { contactOf } from '../../../testing/messaging/messaging-fake.ts'
import {
  newContact,
  startMessagingDeployment,
  type MessagingAgent,
} from '../../../testing/messaging/messaging-deployment.ts'
import { until } from '../../../testing/until.ts'

const messaging = await startMessagingDeployment()
after(() => messaging[Symbol.asyncDispose]())
const { deployment, model, platform } = messaging

beforeEach(() => {
  model.reply = ({ messages }) => `You said ${messages.at(-1)?.content}`
  model.asked.length = 0
  platform.fault = () => undefined
  platform.requests.length = 0
})

const posts = (contact: string) =>
  platform.requests.filter((request) => request.method === 'POST' && contactOf(request) === contact)
/** The error that a refused send left in the log, beside the turn that it is of. */
const notSent = async (messagingAgent: MessagingAgent, contact: string) => {
  const call = await messagingAgent.call(contact)
  const [error] = await until('the log says so', async () => {
    const errors = await messagingAgent.entries(call, 'error')
    return errors.length > 0 && errors
  })
  const [turn] = await messagingAgent.entries(call, 'agent.message')
  assert.equal(error?.data.messageId, turn?.data.messageId)
  assert.deepEqual(Object.keys(error?.data), ['code', 'messageId', 'detail', 'platform_code'])
  return [error?.data.code, error?.data.detail]
}
const forgetAccount = ({ line }: MessagingAgent) =>
  deployment.sql('delete from carrier_accounts where account = $1', [line.phone_number_id])

test("what the agent says goes out from the number that was written to, on the org's own token (N-335, N-336, N-351, ND-83)", async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  await messagingAgent.app()
  const contact = newContact()
  await messagingAgent.write(contact, 'Hello')
  await messagingAgent.texts(contact, 1)
  const sent = platform.sent.find(({ to }) => to === contact)
  assert.deepEqual(
    [sent?.phone_number_id, sent?.token],
    [messagingAgent.line.phone_number_id, messagingAgent.line.access_token],
  )
  const [post] = posts(contact)
  const [turn] = await messagingAgent.entries(await messagingAgent.call(contact), 'agent.message')
  assert.deepEqual(post?.body, {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to: contact.slice(1),
    type: 'text',
    text: { body: 'You said Hello' },
    biz_opaque_callback_data: `${await messagingAgent.call(contact)}:${turn?.seq}:0`,
  })
})

test("if the org brought no token, an answer is sent on the platform's (N-334, ND-83)", async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  await messagingAgent.app()
  await forgetAccount(messagingAgent)
  const contact = newContact()
  await messagingAgent.write(contact, 'Hello')
  await messagingAgent.texts(contact, 1)
  assert.deepEqual(
    posts(contact).map(({ token }) => token),
    [platform.platformToken],
  )
})

test("an org's token that is refused is not replaced by the platform's: the log says so, and nothing is tried again (N-354, ND-83, T-79)", async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  await messagingAgent.app()
  const contact = newContact()
  platform.fault = ({ method, token }) =>
    method === 'POST' && token === messagingAgent.line.access_token
      ? { status: 401, message: `The token ${token} has expired` }
      : undefined
  await messagingAgent.write(contact, 'Hello')
  assert.deepEqual(await notSent(messagingAgent, contact), [
    'msgapp_not_sent',
    'the messaging platform says: The token … has expired',
  ])
  assert.equal(posts(contact).length, 1)
})

test('a send that the platform refuses for good is an error in the log, and the conversation continues (N-354, N-502, ND-83, T-80)', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  await messagingAgent.app()
  const contact = newContact()
  platform.fault = (request) =>
    contactOf(request) === contact && posts(contact).length === 1
      ? {
          status: 400,
          code: 131026,
          message: '(#131026) Message undeliverable',
          details: 'Not a number of theirs',
        }
      : undefined
  await messagingAgent.write(contact, 'one')
  await messagingAgent.write(contact, 'two')
  assert.deepEqual(await messagingAgent.texts(contact, 1), ['You said two'])
  assert.deepEqual(await notSent(messagingAgent, contact), [
    'msgapp_not_sent',
    'the messaging platform says: (#131026) Message undeliverable: Not a number of theirs',
  ])
  const call = await messagingAgent.call(contact)
  assert.equal((await messagingAgent.entries(call, 'error'))[0]?.data.platform_code, 131026)
  assert.equal(posts(contact).length, 2)
  assert.equal((await messagingAgent.calls(contact))[0]?.state, 'open')
  const unsettled = 'select from sends where call = $1 and settled_at is null'
  await until('every send is settled', async () => {
    return (await deployment.sql(unsettled, [call])).rowCount === 0
  })
})

test('without a token nothing is sent, and the log says so (N-354, ND-83)', async () => {
  await using bare = await startMessagingDeployment({ SVC_MSGAPP_ACCESS_TOKEN: '' })
  const messagingAgent = await bare.newMessagingAgent()
  await messagingAgent.app()
  await bare.deployment.sql('delete from carrier_accounts')
  const contact = newContact()
  await messagingAgent.write(contact, 'Hello')
  assert.deepEqual(await notSent(messagingAgent, contact), [
    'msgapp_not_sent',
    'no access token to send with: add the number’s account, or set SVC_MSGAPP_ACCESS_TOKEN',
  ])
})

test('a long turn goes out in parts, in order, each at most 4096 characters; a blank one does not go out (ND-83, T-81)', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  const app = await messagingAgent.app()
  const contact = newContact()
  const words = Array.from({ length: 1500 }, (_, at) => `word${at}`).join(' ')
  model.reply = () => words
  await messagingAgent.write(contact, 'Tell me everything')
  const parts = await messagingAgent.texts(contact, 4)
  assert.equal(parts.join(' '), words)
  model.reply = () => '   '
  await messagingAgent.write(contact, 'Nothing')
  app.send({ type: 'call.say', call: await messagingAgent.call(contact), text: 'Fine.' })
  assert.deepEqual((await messagingAgent.texts(contact, 5)).slice(4), ['Fine.'])
  assert.ok(parts.every(({ length }) => length <= 4096))
})

test('a part that is refused does not keep the others back (ND-83)', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  await messagingAgent.app()
  const contact = newContact()
  model.reply = () => `${'a'.repeat(4096)} ${'b'.repeat(4096)} c`
  platform.fault = () => (posts(contact).length === 2 ? { status: 400, message: 'not this' } : undefined)
  await messagingAgent.write(contact, 'Tell me everything')
  assert.deepEqual(
    (await messagingAgent.texts(contact, 2)).map((text) => text[0]),
    ['a', 'c'],
  )
  assert.deepEqual(await notSent(messagingAgent, contact), [
    'msgapp_not_sent',
    'the messaging platform says: not this',
  ])
})

test('only whole turns go out, each once: what the model streams, says beside a tool call or has said by the app (N-351, N-352, T-81)', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  const tools = [{ name: 'time', description: 'tells it', parameters: { type: 'object', properties: {} } }]
  const app = await messagingAgent.app({ tools, instance: 'one' })
  const contact = newContact()
  model.reply = ({ messages }) =>
    messages.at(-1)?.role === 'tool'
      ? 'It is noon.'
      : { text: 'Let me look.', calls: [{ id: 'call_1', name: 'time' }] }
  await messagingAgent.write(contact, 'What time is it?')
  const { call } = await app.nextOf('llm.toolCall')
  app.send({ type: 'call.say', call, text: 'One moment.' })
  await messagingAgent.texts(contact, 1)
  app.send({ type: 'tool.result', call, id: 'call_1', result: 'noon' })
  assert.deepEqual(await messagingAgent.texts(contact, 2), ['One moment.', 'It is noon.'])
  model.reply = () => 'Good night.'
  await messagingAgent.write(contact, 'Thanks')
  assert.deepEqual(await messagingAgent.texts(contact, 3), ['One moment.', 'It is noon.', 'Good night.'])
  assert.equal(posts(contact).length, 3)
})

test('the last words of a conversation that the agent ends are sent before it ends, also if they are refused (N-354)', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  await messagingAgent.app({ declares: { hangup: { when: 'they say goodbye' } } })
  model.reply = ({ tools }) => ({ text: 'Goodbye.', calls: [{ name: String(tools?.[0]?.function.name) }] })
  const [ana, luis] = [newContact(), newContact()]
  platform.fault = (request) => (contactOf(request) === luis ? { status: 400, message: 'gone' } : undefined)
  for (const contact of [ana, luis]) await messagingAgent.write(contact, 'Goodbye')
  assert.deepEqual(await messagingAgent.texts(ana, 1), ['Goodbye.'])
  for (const contact of [ana, luis])
    await until('it ends', async () => (await messagingAgent.calls(contact))[0]?.reason === 'hangup')
  const entries = await messagingAgent.entries(
    await messagingAgent.call(luis),
    'agent.message',
    'error',
    'call.ended',
  )
  assert.deepEqual(
    entries.map(({ type }) => type),
    ['agent.message', 'error', 'call.ended'],
  )
})

test('a message that comes while the last words are on their way keeps the conversation open, and is answered (N-050)', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  await messagingAgent.app({ declares: { hangup: { when: 'they say goodbye' } } })
  const contact = newContact()
  const sending = Promise.withResolvers<undefined>()
  platform.fault = () => sending.promise
  model.reply = ({ tools }) => ({ text: 'Goodbye.', calls: [{ name: String(tools?.[0]?.function.name) }] })
  await messagingAgent.write(contact, 'Goodbye')
  await until('the last words are on their way', () => posts(contact).length === 1)
  model.reply = () => 'Yes?'
  await messagingAgent.write(contact, 'Wait')
  sending.resolve(undefined)
  assert.deepEqual(await messagingAgent.texts(contact, 2), ['Goodbye.', 'Yes?'])
  assert.equal((await messagingAgent.calls(contact)).length, 1)
})

test('what was said before a conversation ended is still sent (N-353)', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  const app = await messagingAgent.app()
  const contact = newContact()
  await messagingAgent.write(contact, 'Hello')
  await messagingAgent.texts(contact, 1)
  const call = await messagingAgent.call(contact)
  const sending = Promise.withResolvers<undefined>()
  platform.fault = () => sending.promise
  for (const text of ['one', 'two', 'three']) app.send({ type: 'call.say', call, text })
  app.send({ type: 'call.end', call })
  await until('it has ended', async () => (await messagingAgent.calls(contact))[0]?.state === 'ended')
  sending.resolve(undefined)
  assert.deepEqual((await messagingAgent.texts(contact, 4)).slice(1), ['one', 'two', 'three'])
  await until('nothing is left to send', async () => {
    const { rows } = await deployment.sql('select from sendings where call = $1', [call])
    return rows.length === 0
  })
})
