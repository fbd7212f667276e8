import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { noLimit } from '../../../testing/deployment.ts'
import {
  newContact,
  startMessagingDeployment,
  type MessagingAgent,
} from '../../../testing/messaging/messaging-deployment.ts'
import { until } from '../../../testing/until.ts'

const messaging = await startMessagingDeployment()
after(() => messaging[Symbol.asyncDispose]())
const { deployment, model, org, platform } = messaging
const ana = await org.person('supervisor')
const luis = await org.person('supervisor')

const verb = (call: string, asked: object, who = ana) => who.client.post(`/v1/calls/${call}/verbs`, asked)
const act = async (call: string, asked: object) => {
  const answer = await verb(call, asked)
  assert.equal(answer.status, 202, answer.text)
  return answer.body
}
/** A conversation in which one message was answered. */
const begun = async (messagingAgent: MessagingAgent) => {
  const contact = newContact()
  await messagingAgent.write(contact, 'Good morning')
  await messagingAgent.texts(contact, 1)
  return { contact, call: await messagingAgent.call(contact) }
}
const frames = (app: Awaited<ReturnType<MessagingAgent['app']>>, type: string) =>
  app.frames.filter((frame: { type: string }) => frame.type === type).map(({ data }) => data)

beforeEach(() => {
  model.reply = ({ messages }) => `You said ${messages.at(-1)?.content}`
  model.asked.length = 0
})

test('while a supervisor holds a conversation its messages are kept and shown as paused, the model is not asked and nothing is sent; on release it is asked once over all of them (N-085, N-086, N-087, N-088, N-358, N-487, ND-81, ND-112, T-74)', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  const app = await messagingAgent.app()
  const { contact, call } = await begun(messagingAgent)
  assert.deepEqual(await act(call, { verb: 'takeover' }), { call, verb: 'takeover', state: 'held' })
  for (const text of ['one', 'two', 'three']) await messagingAgent.write(contact, text)
  const shown = await until('the app sees all', () => {
    const came = frames(app, 'msgapp.message')
    return came.length === 4 && came
  })
  assert.deepEqual(
    shown.map(({ text, paused }) => [text, paused]),
    [
      ['Good morning', false],
      ['one', true],
      ['two', true],
      ['three', true],
    ],
  )
  assert.deepEqual(frames(app, 'session.paused'), [{ sessionId: call }])
  const turns = await messagingAgent.entries(call, 'user.message')
  assert.deepEqual(
    turns.map(({ data }) => data.text),
    ['Good morning', 'one', 'two', 'three'],
  )
  assert.equal(model.asked.length, 1)
  assert.equal(platform.textsTo(contact).length, 1)
  model.reply = () => 'To all three.'
  assert.deepEqual(await act(call, { verb: 'release' }), { call, verb: 'release', state: 'open' })
  assert.deepEqual((await messagingAgent.texts(contact, 2))[1], 'To all three.')
  assert.equal(model.asked.length, 2)
  const read = model.asked[1]?.messages.filter(({ role }) => role !== 'system').map(({ content }) => content)
  assert.deepEqual(read, ['Good morning', 'You said Good morning', 'one', 'two', 'three'])
  await app.nextOf('session.resumed')
  assert.deepEqual(frames(app, 'session.resumed'), [{ sessionId: call }])
  await messagingAgent.write(contact, 'and then?')
  await messagingAgent.texts(contact, 3)
  assert.equal(frames(app, 'msgapp.message').at(-1).paused, false)
})

test('a held conversation keeps what its contact writes also while no app holds the agent (N-086)', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  const app = await messagingAgent.app()
  const { contact, call } = await begun(messagingAgent)
  await act(call, { verb: 'takeover' })
  await app.close()
  await until(
    'no app holds the agent',
    async () => (await messagingAgent.agentEntries('agent.released')).length === 1,
  )
  await messagingAgent.write(contact, 'Is anybody there?')
  assert.equal((await messagingAgent.entries(call, 'user.message')).length, 2)
  await act(call, { verb: 'say', text: 'Yes, me.' })
  assert.deepEqual((await messagingAgent.texts(contact, 2))[1], 'Yes, me.')
})

test('a second supervisor cannot take over what one holds (ND-81, T-75)', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  await messagingAgent.app()
  const { call } = await begun(messagingAgent)
  const both = await Promise.all([
    verb(call, { verb: 'takeover' }, ana),
    verb(call, { verb: 'takeover' }, luis),
  ])
  assert.deepEqual(
    both.map(({ status }) => status).toSorted((a, b) => a - b),
    [202, 409],
  )
  const refused = both.find(({ status }) => status === 409)
  assert.equal(refused?.body.detail, 'A supervisor holds this call: theirs until it is released')
})

test('what a supervisor says goes to the contact, open or held (N-353, ND-81)', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  await messagingAgent.app()
  const { contact, call } = await begun(messagingAgent)
  await act(call, { verb: 'say', text: 'While open.' })
  await act(call, { verb: 'takeover' })
  await act(call, { verb: 'say', text: 'While held.' })
  assert.deepEqual(await messagingAgent.texts(contact, 3), [
    'You said Good morning',
    'While open.',
    'While held.',
  ])
})

test('a supervisor ends a conversation, the log names them, and the next message opens a new call (N-089, N-090, ND-81)', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  await messagingAgent.app()
  const { contact, call } = await begun(messagingAgent)
  assert.deepEqual(await act(call, { verb: 'end' }), { call, verb: 'end', state: 'ended' })
  const [ended] = await messagingAgent.entries(call, 'call.ended')
  assert.deepEqual(ended?.data, { reason: 'hangup', by: 'supervisor', who: 'A supervisor' })
  await messagingAgent.write(contact, 'Hello again')
  await messagingAgent.texts(contact, 2)
  assert.equal((await messagingAgent.calls(contact)).length, 2)
})

test("a turn past the org's quota ends the conversation unanswered, and its delivery is taken all the same (N-091, N-092, ND-82, T-83)", async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  await messagingAgent.app()
  const { contact, call } = await begun(messagingAgent)
  const { rows } = await deployment.sql('select count(*)::int as count from asked_turns where org = $1', [
    org.id,
  ])
  const messages = rows[0].count
  const quota = (most: number | null) =>
    deployment.operator.put(`/v1/ops/orgs/${org.slug}/quotas`, { ...noLimit, messages: most })
  assert.equal((await quota(messages)).status, 200)
  await messagingAgent.write(contact, 'One too many')
  await until('it ends', async () => (await messagingAgent.calls(contact))[0]?.state === 'ended')
  const entries = await messagingAgent.entries(call, 'user.message', 'error', 'call.ended')
  assert.deepEqual(
    entries.slice(1).map(({ type, data: { text, code, reason } }) => [type, text ?? code ?? reason]),
    [
      ['user.message', 'One too many'],
      ['error', 'quota'],
      ['call.ended', 'failed'],
    ],
  )
  assert.equal(model.asked.length, 1)
  assert.equal(platform.textsTo(contact).length, 1)
  await quota(null)
})
