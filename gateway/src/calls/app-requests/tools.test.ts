import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { AppClient } from '../../../testing/agents/app-client.ts'
import { startDeployment, type Deployment } from '../../../testing/deployment.ts'
import { append, entriesOf, openCall, toolCall } from '../../../testing/calls/assigned-call.ts'
import { grownSince, metricValues } from '../../../testing/http/metric-values.ts'
import { until } from '../../../testing/until.ts'
import type { AssignedCall } from './app-requests.ts'

const deployment = await startDeployment({ SVC_TOOL_TIMEOUT_S: '20' })
after(() => deployment[Symbol.asyncDispose]())
const other = await deployment.another()
const org = await deployment.newOrg()
const ci = await org.serverToken('sandbox')
const { tools, appRequests } = deployment.gateway.services

const asked = (id: string) => ({ id, name: 'book', arguments: '{}' })
const result = (call: AssignedCall, id: string, more: object = { result: 'booked' }) => ({
  type: 'tool.result',
  call: call.id,
  id,
  ...more,
})
const resultsIn = async ({ id }: AssignedCall) =>
  (await entriesOf(deployment, id)).filter(({ type }) => type === 'tool.result').map(({ data }) => data)

let agents = 0
async function newCall(at: Deployment = deployment, instance = 'app-1') {
  const agent = `agent-${(agents += 1)}`
  const app = await AppClient.connect(at.url, ci.key)
  await app.register(agent, { instance })
  const call = await openCall(deployment, ci.client, agent)
  await append(deployment, call, { type: 'chat.started', data: {} })
  await app.nextOf('chat.started')
  return { app, call, agent }
}

test('a tool is run by the app and its result is in the log before the model continues (N-458, N-459)', async () => {
  for (const at of [deployment, other]) {
    const { app, call } = await newCall(at)
    await append(deployment, call, toolCall('t1', 'app-1'), toolCall('t2', 'app-1'))
    const running = tools.run(call, [asked('t1'), asked('t2')])
    await app.nextOf('llm.toolCall')
    await app.nextOf('llm.toolCall')
    app.send(result(call, 't2', { error: 'no table is free' }))
    assert.deepEqual(await app.nextOf('tool.received'), { type: 'tool.received', call: call.id, id: 't2' })
    app.send(result(call, 't1', { result: { table: 4 } }))
    assert.deepEqual(await running, [
      { id: 't1', name: 'book', ok: true, text: '{"table":4}' },
      { id: 't2', name: 'book', ok: false, text: 'no table is free' },
    ])
    assert.deepEqual(await resultsIn(call), [
      { id: 't2', name: 'book', ok: false, result: 'no table is free' },
      { id: 't1', name: 'book', ok: true, result: { table: 4 } },
    ])
    const errors = (await entriesOf(deployment, call.id)).filter(({ type }) => type === 'error')
    assert.deepEqual(
      errors.map(({ data }) => data),
      [{ code: 'tool_failed', detail: 'book: no table is free' }],
    )
    await app.close()
  }
})

test('a result sent twice is taken once and received each time, also concurrently on two gateways (N-458)', async () => {
  const { app, call, agent } = await newCall()
  const twin = await AppClient.connect(other.url, ci.key)
  await twin.register(agent, { instance: 'app-1' })
  const ids = Array.from({ length: 20 }, (_, n) => `t${n}`)
  await append(deployment, call, ...ids.map((id) => toolCall(id, 'app-1')))
  const running = tools.run(call, ids.map(asked))
  for (const id of ids)
    for (const [at, each] of [app, twin, app].entries())
      each.send(result(call, id, { result: `${id} by ${at}` }))
  await until('all are received', () => {
    const received = (each: AppClient) => each.frames.filter(({ type }) => type === 'tool.received').length
    return received(app) >= 40 && received(twin) >= 20
  })
  const kept = await resultsIn(call)
  assert.deepEqual([kept.length, new Set(kept.map(({ id }) => id))], [20, new Set(ids)])
  const texts = new Map(kept.map(({ id, result: text }) => [id, text]))
  assert.deepEqual(
    (await running).map(({ id, text }) => [id, text]),
    ids.map((id) => [id, texts.get(id)]),
  )
  await Promise.all([app.close(), twin.close()])
})

test('a tool that does not answer in time has failed, and what it answers later changes nothing (N-458)', async () => {
  const { app, call } = await newCall()
  await append(deployment, call, toolCall('slow', 'app-1'))
  const since = performance.now()
  const [outcome] = await tools.run(call, [asked('slow')], { withinMs: 300 })
  assert.ok(performance.now() - since >= 200)
  const text = 'the tool book did not answer within 0.3 seconds'
  assert.deepEqual(outcome, { id: 'slow', name: 'book', ok: false, text })
  app.send(result(call, 'slow'))
  assert.equal((await app.nextOf('tool.received')).id, 'slow')
  assert.deepEqual(await resultsIn(call), [{ id: 'slow', name: 'book', ok: false, result: text }])
  assert.deepEqual(await tools.run(call, [asked('slow')]), [outcome])
  await app.close()
})

test('a tool with a limit of its own is given up after that, while the others are waited for', async () => {
  const { app, call } = await newCall()
  const slow = { id: 'slow', name: 'slow', arguments: '{}' }
  await append(deployment, call, toolCall('slow', 'app-1', 'slow'), toolCall('t', 'app-1'))
  const offered = { description: '', parameters: {} }
  const running = tools.run(call, [slow, asked('t')], {
    tools: [
      { ...offered, name: 'slow', timeoutMs: 300 },
      { ...offered, name: 'book' },
    ],
  })
  await app.nextOf('llm.toolCall')
  await pause(600)
  app.send(result(call, 't'))
  assert.deepEqual(await running, [
    { id: 'slow', name: 'slow', ok: false, text: 'the tool slow did not answer within 0.3 seconds' },
    { id: 't', name: 'book', ok: true, text: 'booked' },
  ])
  await app.close()
})

test('two that wait for one tool give up concurrently and write one failure (N-458)', async () => {
  const { app, call } = await newCall()
  await append(deployment, call, toolCall('t', 'app-1'))
  const waits = [tools, other.gateway.services.tools].map((each) =>
    each.run(call, [asked('t')], { withinMs: 200 }),
  )
  const [one, two] = await Promise.all(waits)
  assert.deepEqual(one, two)
  assert.equal((await resultsIn(call)).length, 1)
  await app.close()
})

test('results that are there already are not waited for, nor those of a call that has ended', async () => {
  const { app, call } = await newCall()
  await append(deployment, call, toolCall('a', 'app-1'), toolCall('b', 'app-1'))
  app.send(result(call, 'a'))
  await app.nextOf('tool.received')
  assert.deepEqual(await tools.run(call, [asked('a')]), [{ id: 'a', name: 'book', ok: true, text: 'booked' }])
  const since = performance.now()
  const running = tools.run(call, [asked('b')])
  await append(other, call, { type: 'call.ended', data: { reason: 'hangup' } })
  const ended = [{ id: 'b', name: 'book', ok: false, text: 'the call has ended' }]
  assert.deepEqual(await running, ended)
  assert.deepEqual(await tools.run(call, [asked('b')]), ended)
  assert.ok(performance.now() - since < 10_000, 'without waiting for the time to be over')
  app.send(result(call, 'b'))
  assert.equal((await app.nextOf('tool.received')).id, 'b')
  assert.equal((await resultsIn(call)).length, 1)
  assert.deepEqual(await tools.run(call, []), [])
  await app.close()
})

test('a tool that no app could be asked for fails at once, and the model reads why', async () => {
  const call = await openCall(deployment, ci.client, 'nobodys')
  await append(deployment, call, { type: 'chat.started', data: {} }, toolCall('t'))
  const since = performance.now()
  const [outcome] = await tools.run(call, [asked('t')])
  assert.ok(performance.now() - since < 10_000, 'without waiting for the time to be over')
  assert.deepEqual(
    [outcome?.ok, outcome?.text],
    [false, `no app is connected that could run the tool ${asked('t').name}`],
  )
})

test('the app that was asked is asked again when it is back, also while another drives the call, and the other never (N-459)', async () => {
  const { app, call, agent } = await newCall()
  const second = await AppClient.connect(deployment.url, ci.key)
  await second.register(agent, { instance: 'app-2' })
  await append(deployment, call, toolCall('t', 'app-1'))
  await app.nextOf('llm.toolCall')
  const running = tools.run(call, [asked('t')])
  app.socket.terminate()
  assert.equal((await second.next()).type, 'call.passed')
  const back = await AppClient.connect(other.url, ci.key)
  await back.register(agent, { instance: 'app-1' })
  assert.equal((await back.nextOf('llm.toolCall')).data.toolCalls[0].id, 't')
  const since = performance.now()
  await until('it was looked for twice more', () => performance.now() - since > 2500)
  back.send(result(call, 't'))
  assert.equal((await running)[0]?.ok, true)
  assert.equal(second.frames.length, 2)
  assert.equal(back.frames.filter(({ type }) => type === 'llm.toolCall').length, 1)
  await Promise.all([second.close(), back.close()])
})

test('a tool is asked for again of the very app that was asked before, wherever that is connected', async () => {
  const { app, call, agent } = await newCall(other)
  const [kept] = await append(deployment, call, toolCall('t', 'app-1'))
  const entry = JSON.parse(kept?.entry ?? '')
  const first = await app.nextOf('llm.toolCall')
  assert.equal(await appRequests.redeliver(call, entry), true)
  assert.deepEqual(await app.nextOf('llm.toolCall'), first)
  await app.close()
  const stranger = await AppClient.connect(deployment.url, ci.key)
  await stranger.register(agent, { instance: 'app-2' })
  await until('it is known as gone', async () => !(await appRequests.redeliver(call, entry)))
  assert.ok(!stranger.frames.some(({ type }) => type === 'llm.toolCall'))
  await stranger.close()
})

test('an app is found with what it offers, and by its socket if it names no instance (ND-87)', async () => {
  const agent = `agent-${(agents += 1)}`
  const call = await openCall(deployment, ci.client, agent)
  assert.equal(await appRequests.appOf(call), null)
  const app = await AppClient.connect(other.url, ci.key)
  await app.register(agent, { app: 'desk', prompt: 'You are kind.' })
  const found = await appRequests.appOf(call)
  assert.deepEqual(
    { ...found, socket: '', instance: '' },
    {
      app: 'desk',
      socket: '',
      gateway: other.gateway.services.runningGateways.id,
      instance: '',
      offer: { tools: [], prompt: 'You are kind.' },
      metadata: {},
    },
  )
  assert.equal(found?.instance, found?.socket)
  await app.register(agent, { instance: 'process-7' })
  assert.equal((await appRequests.appOf(call))?.instance, 'process-7')
  await app.close()
})

test('a gateway that stops rejects the runs that wait for a tool, writes nothing and leaves the answer to the next', async () => {
  const leaving = await deployment.another()
  const { app, call } = await newCall()
  await append(deployment, call, toolCall('t', 'app-1'))
  const waiting = leaving.gateway.services.tools.run(call, [asked('t')])
  const refused = assert.rejects(waiting, { message: 'this gateway is stopping', status: 503 })
  await app.nextOf('llm.toolCall')
  await leaving[Symbol.asyncDispose]()
  await refused
  assert.deepEqual(await resultsIn(call), [])
  const running = tools.run(call, [asked('t')])
  app.send(result(call, 't'))
  assert.equal((await running)[0]?.ok, true)
  await app.close()
})

test('whatever a tool answers is its result, however odd its fields are called (N-458)', async () => {
  const { app, call } = await newCall()
  await append(deployment, call, toolCall('t', 'app-1'))
  const odd = { toString: 1, valueOf: 2 }
  app.send(result(call, 't', { result: odd }))
  assert.equal((await app.nextOf('tool.received')).id, 't')
  assert.deepEqual(await tools.run(call, [asked('t')]), [
    { id: 't', name: 'book', ok: true, text: '{"toString":1,"valueOf":2}' },
  ])
  await app.close()
})

test('each tool call is counted once by what became of it, at the gateway that wrote the result', async () => {
  const counts = async () =>
    metricValues((await deployment.metrics.get('/metrics')).text, 'switchroom_tool_calls_total')
  const before = await counts()
  const { app, call } = await newCall()
  await append(deployment, call, toolCall('t1', 'app-1'), toolCall('t2', 'app-1'), toolCall('t3', 'app-1'))
  const running = tools.run(call, [asked('t1'), asked('t2'), asked('t3')], { withinMs: 1_500 })
  app.send(result(call, 't1'))
  app.send(result(call, 't1', { error: 'a second answer' }))
  app.send(result(call, 't2', { error: 'no table is free' }))
  await running
  assert.deepEqual(grownSince(before, await counts()), {
    'env=sandbox,outcome=ok': 1,
    'env=sandbox,outcome=failed': 1,
    'env=sandbox,outcome=unanswered': 1,
  })
  await app.close()
})
