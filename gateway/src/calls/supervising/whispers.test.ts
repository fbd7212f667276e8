import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startChatDeployment } from '../../../testing/calls/chat-deployment.ts'

const chats = await startChatDeployment()
after(() => chats[Symbol.asyncDispose]())
const { model, org } = chats

test('what a supervisor whispers is read by the model from the next turn on, and by no other person', async () => {
  const { client: ana } = await org.person('supervisor')
  const agent = await chats.newAgent({ prompt: 'You sell bicycles.' })
  const client = await agent.chat()
  await client.ask('Hello')
  const { status } = await ana.post(`/v1/calls/${client.call}/verbs`, {
    verb: 'whisper',
    text: 'Offer 10 % off.',
  })
  assert.equal(status, 202)
  await client.ask('It is too dear')
  const told = model.asked.map(({ messages }) => messages[0]?.content)
  assert.deepEqual(told, [
    'You sell bicycles.',
    'You sell bicycles.\n\n# From your supervisor, for you alone\n\nOffer 10 % off.',
  ])
  assert.ok(!JSON.stringify(client.frames).includes('Offer'))
})
