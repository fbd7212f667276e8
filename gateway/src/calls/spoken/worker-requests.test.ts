import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { AppClient } from '../../../testing/agents/app-client.ts'
import { refused, type Answer } from '../../../testing/client.ts'
import { fleetKey, startDeployment } from '../../../testing/deployment.ts'
import { entriesOf, SpokenAgent, typesOf, whileHeld } from '../../../testing/calls/spoken-calls.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const org = await deployment.newOrg()
const desk = await new SpokenAgent(deployment, org, 'desk').route()
const tools = [{ name: 'time', description: 'the time', parameters: {} }]
const app = await desk.holdingApp('sandbox', { tools, preparing: { timeoutMs: 10_000 } })

const askTime = { id: 't1', name: 'time', arguments: '{"zone":"UTC"}' }
const framesOf = (client: AppClient, type: string, call: string) =>
  client.frames.filter((frame) => frame.type === type && frame.call === call)
const frameOf = (type: string, call: string) => until(`${type} comes`, () => framesOf(app, type, call)[0])

test("tools are announced and run once by the app, and the worker's second request has the same outcome (N-457, N-458, N-459)", async () => {
  await using other = await deployment.another()
  const call = await desk.open()
  const body = { msgId: 'm1', text: 'Let me look.', calls: [askTime] }
  const path = `/v1/calls/${call}/tools`
  let first: Promise<Answer>[] = []
  await whileHeld(deployment, 'select from logs where id = $1 for update', call, 2, async (held) => {
    first = [desk.fleet, other.anonymous.as(fleetKey)].map((fleet) => fleet.post(path, body))
    await held.areWaiting()
  })
  const { data } = await frameOf('llm.toolCall', call)
  assert.deepEqual(data, { msgId: 'm1', toolCalls: [askTime] })
  app.send({ type: 'tool.result', call, id: 't1', result: { now: '12:00' } })
  const outcome = { id: 't1', name: 'time', ok: true, text: '{"now":"12:00"}' }
  for (const answer of [...first, desk.fleet.post(path, body)])
    assert.deepEqual(done(await answer), { outcomes: [outcome] })
  assert.equal(framesOf(app, 'llm.toolCall', call).length, 1)
  const entries = await entriesOf(deployment, call)
  assert.deepEqual(typesOf(entries), ['call.started', 'llm.toolCall', 'tool.result'])
  const { app: asked, ...kept } = entries[1]?.data ?? {}
  assert.deepEqual(kept, { msgId: 'm1', toolCalls: [askTime], text: 'Let me look.' })
  assert.equal(typeof asked, 'string')
})

test('of several tools only those are asked for that were not before (N-457)', async () => {
  const call = await desk.open()
  const path = `/v1/calls/${call}/tools`
  app.socket.on('message', (sent: Buffer) => {
    const frame = JSON.parse(sent.toString())
    if (frame.type !== 'llm.toolCall' || frame.call !== call) return
    for (const { id } of frame.data.toolCalls) app.send({ type: 'tool.result', call, id, error: `no ${id}` })
  })
  const toolCall = (id: string) => ({ ...askTime, id })
  const ask = (...ids: string[]) => desk.fleet.post(path, { msgId: 'm1', calls: ids.map(toolCall) })
  done(await ask('a'))
  const { outcomes } = done(await ask('b', 'a', 'c'))
  assert.deepEqual(outcomes, [
    { id: 'b', name: 'time', ok: false, text: 'no b' },
    { id: 'a', name: 'time', ok: false, text: 'no a' },
    { id: 'c', name: 'time', ok: false, text: 'no c' },
  ])
  const asked = (await entriesOf(deployment, call)).filter(({ type }) => type === 'llm.toolCall')
  assert.deepEqual(
    asked.map(({ data }) => (data['toolCalls'] as { id: string }[]).map(({ id }) => id)),
    [['a'], ['b', 'c']],
  )
})

test('a worker has a turn prepared by the app, and receives what the app set (N-424, N-425, ND-90)', async () => {
  const call = await desk.open()
  const asked = desk.fleet.post(`/v1/calls/${call}/preparing`, { turn: 1 })
  const { data } = await frameOf('call.preparing', call)
  assert.deepEqual([data.turn, data.budgetMs, data.call.id], [1, 10_000, call])
  app.send({ type: 'preparing.settled', call, turn: 1, set: { context: 'It is Monday.' } })
  assert.deepEqual(done(await asked), { set: { context: 'It is Monday.' } })
  refused(await desk.fleet.post(`/v1/calls/${call}/preparing`, { turn: 0 }), 400, 'turn: must be >= 1')
})

test('a call that has ended, or is not of the worker, asks for nothing', async () => {
  const call = await desk.open()
  const others = (await (await deployment.newOrg()).serverToken('sandbox')).client
  const body = { msgId: 'm1', calls: [askTime] }
  refused(await others.post(`/v1/calls/${call}/tools`, body), 404, `there is no call ${call}`)
  refused(await others.post(`/v1/calls/${call}/preparing`, { turn: 1 }), 404, `there is no call ${call}`)
  done(await desk.append(call, [{ type: 'call.ended', data: { reason: 'hangup' } }]))
  refused(await desk.fleet.post(`/v1/calls/${call}/tools`, body), 409, 'this call has ended')
  refused(await desk.fleet.post(`/v1/calls/${call}/preparing`, { turn: 1 }), 409, 'this call has ended')
  assert.deepEqual(typesOf(await entriesOf(deployment, call)), ['call.started', 'call.ended'])
})
