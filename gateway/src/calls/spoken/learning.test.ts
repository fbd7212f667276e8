import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { entriesOf, SpokenAgent } from '../../../testing/calls/spoken-calls.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const org = await deployment.newOrg()
const desk = await new SpokenAgent(deployment, org, 'desk').route()
const app = await desk.holdingApp()
const contact = '+15559990000'

const factsIn = async (call: string) => done(await desk.fleet.get(`/v1/calls/${call}/instructions`)).facts
const learned = (...ops: object[]) => ({ type: 'memory.ops', data: { contact, ops } })
const rye = { op: 'add', id: 'mem_1', text: 'Likes rye.' }

test('what a spoken call taught is known in the next one: added, replaced and deleted, as the log and the app receive it (N-438, N-441, N-500, ND-111)', async () => {
  const call = await desk.open()
  const first = learned(rye, { op: 'add', id: 'mem_2', text: 'Has a dog.' })
  done(await desk.append(call, [first], 1))
  const both = [
    { id: 'mem_1', text: 'Likes rye.' },
    { id: 'mem_2', text: 'Has a dog.' },
  ]
  assert.deepEqual(await factsIn(await desk.open()), both)
  const second = learned(
    { op: 'update', id: 'mem_3', text: 'Likes spelt.', supersedes: 'mem_1' },
    { op: 'delete', id: 'mem_2' },
  )
  done(await desk.append(call, [second], 2))
  assert.deepEqual(await factsIn(await desk.open()), [{ id: 'mem_3', text: 'Likes spelt.' }])
  const told = await until('the app receives both events', () => {
    const frames = app.frames.filter((frame) => frame.type === 'memory.ops' && frame.call === call)
    return frames.length === 2 && frames
  })
  assert.deepEqual(
    told.map(({ data }) => data),
    [first.data, second.data],
  )
  const kept = (await entriesOf(deployment, call)).filter(({ type }) => type === 'memory.ops')
  assert.deepEqual(
    kept.map(({ data }) => data),
    [first.data, second.data],
  )
})

test('a batch that comes twice, also concurrently, teaches once', async () => {
  const call = await desk.open()
  const batch = [learned({ op: 'add', id: 'mem_9', text: 'Is called Ana.' })]
  for (const answer of await Promise.all([1, 2, 3].map(() => desk.append(call, batch, 1)))) done(answer)
  done(await desk.append(call, [learned({ op: 'delete', id: 'mem_9' })], 2))
  done(await desk.append(call, batch, 1))
  assert.ok((await factsIn(call)).every(({ id }: { id: string }) => id !== 'mem_9'))
})

test('memory of another person than the contact, or in a call without one, is refused whole', async () => {
  const call = await desk.open()
  const said = { type: 'user.message', data: { text: 'hi', messageId: 'm1' } }
  const ofOther = { type: 'memory.ops', data: { contact: '+15559990001', ops: [rye] } }
  refused(
    await desk.append(call, [said, ofOther]),
    400,
    `memory.ops is about the contact of the call, and call ${call} is with ${contact}`,
  )
  const unknown = await desk.open({ from: '' })
  refused(
    await desk.append(unknown, [learned(rye)]),
    400,
    `memory.ops is about the contact of the call, and call ${unknown} has none`,
  )
  for (const log of [call, unknown]) assert.equal((await entriesOf(deployment, log)).length, 1)
})

test('memory that is not of its shape, or only shown, is refused (ND-111)', async () => {
  const call = await desk.open()
  const shape =
    'memory.ops has a contact and ops: {op: add, id, text}, {op: update, id, text, supersedes} or {op: delete, id}'
  for (const ops of [
    [],
    [{ op: 'add', id: 'mem_1' }],
    [{ op: 'update', id: 'mem_1', text: 'x' }],
    [{ op: 'delete' }],
    [{ op: 'keep', id: 'mem_1', text: 'x' }],
    [rye, 'rye'],
  ])
    refused(await desk.append(call, [{ type: 'memory.ops', data: { contact, ops } }]), 400, shape)
  refused(
    await desk.append(call, [{ ...learned(rye), ephemeral: true }]),
    400,
    'memory.ops is kept: send it without ephemeral',
  )
})
