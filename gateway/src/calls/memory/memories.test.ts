import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { entriesOf, startChatDeployment } from '../../../testing/calls/chat-deployment.ts'
import type { AskedModel } from '../../../testing/providers/model-fake.ts'
import { until } from '../../../testing/until.ts'

const chats = await startChatDeployment()
after(() => chats[Symbol.asyncDispose]())
const { deployment, model } = chats

const isNoting = ({ messages }: AskedModel) => messages[0]?.content?.includes('You keep notes about a person')
const notes = (...ops: object[]) => JSON.stringify({ ops })
const contact = '+34911234567'
const factsOf = async (agent: string) =>
  (await deployment.sql('select id, text from memories where agent = $1 order by ordinal', [agent])).rows

test('what is learned about a contact is sent to the app after the reply, stored in the log, and known in their next call (N-438, N-440, N-441, N-500, ND-111)', async () => {
  const agent = await chats.newAgent({ declares: { memory: { remember: ['their name'] } } })
  const learning = Promise.withResolvers<string>()
  model.reply = (asked) => (isNoting(asked) ? learning.promise : 'Hello, Ana.')
  const client = await agent.chat({ contact })
  assert.equal(await client.ask('I am Ana'), 'Hello, Ana.')
  await until('the model is asked what to note', () => model.asked.some(isNoting))
  assert.deepEqual(await entriesOf(deployment, client.call, 'memory.ops'), [])
  learning.resolve(notes({ op: 'add', text: 'Is called Ana.' }))
  const frame = await until('the app receives the event', () =>
    agent.app.frames.find(({ type }: { type: string }) => type === 'memory.ops'),
  )
  const [fact] = await factsOf(agent.slug)
  assert.equal(fact.text, 'Is called Ana.')
  assert.deepEqual(frame.data, { contact, ops: [{ op: 'add', id: fact.id, text: 'Is called Ana.' }] })
  const [entry] = await entriesOf(deployment, client.call, 'memory.ops')
  assert.deepEqual(entry?.data, frame.data)
  const types = agent.app.frames.map(({ type }: { type: string }) => type)
  assert.ok(types.indexOf('memory.ops') > types.indexOf('agent.message'))
  await client.close()

  model.reply = (asked) =>
    isNoting(asked) ? notes({ op: 'update', note: 1, text: 'Is called Anna.' }) : 'Anna, then.'
  const next = await agent.chat({ contact })
  await next.ask('With two n')
  const told = model.asked.findLast((asked) => !isNoting(asked))
  assert.ok(told?.messages[0]?.content?.includes('Is called Ana.'))
  const [revised] = await until('it is revised', async () => {
    const entries = await entriesOf(deployment, next.call, 'memory.ops')
    return entries.length > 0 && entries
  })
  const [anna, ...more] = await factsOf(agent.slug)
  assert.deepEqual([anna.text, more], ['Is called Anna.', []])
  assert.deepEqual(revised?.data.ops, [
    { op: 'update', id: anna.id, text: 'Is called Anna.', supersedes: fact.id },
  ])

  model.reply = (asked) => (isNoting(asked) ? notes({ op: 'delete', note: 1 }) : 'Forgotten.')
  await next.ask('Forget it')
  await until('it is forgotten', async () => (await factsOf(agent.slug)).length === 0)
  const gone = await entriesOf(deployment, next.call, 'memory.ops')
  assert.deepEqual(gone[1]?.data, { contact, ops: [{ op: 'delete', id: anna.id }] })
})

test('nothing is learned in a chat without a contact, about another agent’s contact, or when nothing is said of it (ND-111)', async () => {
  const agent = await chats.newAgent({ declares: { memory: { remember: ['their name'] } } })
  const plain = await chats.newAgent()
  model.asked.length = 0
  model.reply = (asked) => (isNoting(asked) ? notes() : 'Hello.')
  const anonymous = await agent.chat()
  await anonymous.ask('I am Ana')
  await (await plain.chat({ contact })).ask('I am Ana')
  const client = await agent.chat({ contact })
  await client.ask('I am Ana')
  await until('it is priced', async () =>
    (await entriesOf(deployment, client.call, 'metrics')).some(({ data }) => data.purpose === 'memory'),
  )
  await client.ask('And so on')
  assert.equal(model.asked.filter(isNoting).length >= 1, true)
  for (const { call } of [anonymous, client])
    assert.deepEqual(await entriesOf(deployment, call, 'memory.ops'), [])
  const metrics = (await entriesOf(deployment, client.call, 'metrics')).find(
    ({ data }) => data.purpose === 'memory',
  )
  assert.equal(metrics?.data.credits, 0.0084)
  assert.deepEqual(
    await entriesOf(deployment, anonymous.call, 'metrics').then((all) =>
      all.filter(({ data }) => data.purpose),
    ),
    [],
  )
})
