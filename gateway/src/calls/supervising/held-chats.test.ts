import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { entriesOf, startChatDeployment } from '../../../testing/calls/chat-deployment.ts'
import { hangs } from '../../../testing/providers/model-fake.ts'
import { until } from '../../../testing/until.ts'

const chats = await startChatDeployment()
after(() => chats[Symbol.asyncDispose]())
const { deployment, model, org } = chats
const ana = await org.person('supervisor')
const act = async (call: string, verb: string, text?: string) => {
  const answer = await ana.client.post(`/v1/calls/${call}/verbs`, { verb, ...(text && { text }) })
  assert.equal(answer.status, 202, answer.text)
}

beforeEach(() => {
  model.reply = () => 'Hello.'
  model.asked.length = 0
})

test('while a person holds a chat its messages are kept and the model is not asked; on release it is asked once over all of them (N-085, N-086, N-087, N-088, ND-81, T-74)', async () => {
  const client = await (await chats.newAgent()).chat()
  await client.ask('Good morning')
  await act(client.call, 'takeover')
  for (const text of ['one', 'two', 'three']) {
    client.say(text)
    await client.next('heard')
  }
  const turns = await entriesOf(deployment, client.call, 'user.message')
  assert.deepEqual(
    turns.map(({ data }) => data.text),
    ['Good morning', 'one', 'two', 'three'],
  )
  assert.equal(model.asked.length, 1)
  model.reply = () => 'To all three.'
  await act(client.call, 'release')
  assert.equal((await client.next('message')).text, 'To all three.')
  assert.equal(model.asked.length, 2)
  const read = model.asked[1]?.messages.filter(({ role }) => role !== 'system').map(({ content }) => content)
  assert.deepEqual(read, ['Good morning', 'Hello.', 'one', 'two', 'three'])
  assert.equal(await client.ask('and then?'), 'To all three.')
  assert.equal(model.asked.length, 3)
})

test('what a supervisor says reaches the client, answers what waited, and is read by the model as its own words (ND-81, ND-107)', async () => {
  const client = await (await chats.newAgent()).chat()
  await act(client.call, 'takeover')
  client.say('Is anybody there?')
  await client.next('heard')
  await act(client.call, 'say', 'Yes, it is me.')
  assert.equal((await client.next('message')).text, 'Yes, it is me.')
  await act(client.call, 'release')
  assert.equal(await client.ask('Fine'), 'Hello.')
  const read = model.asked.map(({ messages }) => messages.filter(({ role }) => role !== 'system'))
  assert.deepEqual(
    read.map((messages) => messages.map(({ role, content }) => `${role}: ${content}`)),
    [['user: Is anybody there?', 'assistant: Yes, it is me.', 'user: Fine']],
  )
})

test('a takeover cancels an answer that the model is still generating (N-087)', async () => {
  const client = await (await chats.newAgent()).chat()
  model.reply = () => hangs
  client.say('A long question')
  await until('the model is asked', () => model.open === 1)
  await act(client.call, 'takeover')
  await until('the request to the model is aborted', () => model.open === 0)
  model.reply = () => 'Late.'
  await act(client.call, 'release')
  assert.equal((await client.next('message')).text, 'Late.')
  assert.equal((await entriesOf(deployment, client.call, 'agent.message')).length, 1)
})

test('a chat that a supervisor ends is over for its client (N-089, ND-81)', async () => {
  const client = await (await chats.newAgent()).chat()
  await act(client.call, 'end')
  const { reason } = await client.next('ended')
  assert.equal(reason, 'hangup')
})

test('the app is notified of the pause, its end and the person who ended the call (N-491, N-492, N-090)', async () => {
  const agent = await chats.newAgent()
  const client = await agent.chat()
  for (const verb of ['takeover', 'release', 'end']) await act(client.call, verb)
  const told = (type: string) =>
    until(`${type} arrives`, () => agent.app.frames.find((frame: { type: string }) => frame.type === type))
  for (const type of ['session.paused', 'session.resumed'])
    assert.deepEqual((await told(type)).data, { sessionId: client.call })
  const { reason, by, who } = (await told('call.ended')).data
  assert.deepEqual([reason, by, who], ['hangup', 'supervisor', 'A supervisor'])
})
