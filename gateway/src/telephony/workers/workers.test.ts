import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { AppClient } from '../../../testing/agents/app-client.ts'
import { refused } from '../../../testing/client.ts'
import { fleetKey, startDeployment } from '../../../testing/deployment.ts'
import { SpokenAgent } from '../../../testing/calls/spoken-calls.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'
import { secondMs } from '../../foundation/clock.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { clock, operator, sql } = deployment
const { workers } = deployment.gateway.services
const fleet = deployment.anonymous.as(fleetKey)

const beat = async (worker: string, more: object = {}) => {
  const told = { worker, env: 'sandbox', calls: 0, capacity: 4, draining: false, ...more }
  const answer = await fleet.post('/v1/worker/beats', told)
  assert.equal(answer.status, 200, answer.text)
  return told
}
const listed = async () => done(await operator.get('/v1/ops/workers')).workers
const nowS = () => Math.floor(clock.now().getTime() / 1000)

test("the operator sees the platform's workers as they last said of themselves, and none that is silent for 30 seconds", async () => {
  const began = nowS()
  await beat('w2')
  await beat('w1', { env: 'production', calls: 1 })
  clock.forward(20 * secondMs)
  const last = await beat('w2', { calls: 3, draining: true })
  const [production, sandbox, ...more] = await listed()
  assert.deepEqual([production.worker, production.env, production.calls, more], ['w1', 'production', 1, []])
  const { started_at, beat_at, ...told } = sandbox
  assert.deepEqual(told, last)
  assert.ok(Math.abs(started_at - began) <= 2 && beat_at - started_at >= 20)
  clock.forward(11 * secondMs)
  assert.deepEqual(
    (await listed()).map(({ worker }: { worker: string }) => worker),
    ['w2'],
  )
  await workers.deleteExpired()
  assert.equal((await sql('select from workers')).rowCount, 1)
})

test('a worker that beats learns whether every worker of its environment is full', async () => {
  const told = { env: 'production', capacity: 2, draining: false }
  const full = async (worker: string, calls: number) =>
    done(await fleet.post('/v1/worker/beats', { ...told, worker, calls })).full
  assert.equal(await full('full-1', 2), true)
  assert.equal(await full('full-2', 1), false)
  assert.equal(await full('full-2', 2), true)
  clock.forward(31 * secondMs)
})

test('a worker that was silent too long has started anew', async () => {
  await beat('w3')
  clock.forward(31 * secondMs)
  await beat('w3')
  const [{ started_at, beat_at }] = await listed()
  assert.equal(started_at, beat_at)
})

test("only the platform's workers say that they live, and only the operator sees them", async () => {
  const org = await deployment.newOrg()
  const { client } = await org.serverToken('sandbox')
  const told = { worker: 'w', env: 'sandbox', calls: 0, capacity: 1, draining: false }
  refused(await client.post('/v1/worker/beats', told), 403, "this door takes the fleet's key")
  refused(await client.get('/v1/ops/workers'), 403, "this door is the operator's")
  assert.equal((await fleet.post('/v1/worker/beats', { ...told, calls: -1 })).status, 400)
})

test('a line hands no call over while every worker runs more than it should; the call’s own place is no other’s (N-482)', async () => {
  clock.forward(31 * secondMs)
  const org = await deployment.newOrg()
  const { key } = await org.serverToken('sandbox')
  const phone = await new SpokenAgent(deployment, org, 'desk').route()
  const line = await AppClient.connect(deployment.url, key)
  assert.equal((await line.ask({ type: 'line.register', number: phone.number })).type, 'ready')
  assert.equal((await line.register('sales')).type, 'agent.registered')
  const routed = async () => {
    const call = await phone.open()
    await until('the line has it', () =>
      line.frames.find((frame) => frame.type === 'call' && frame.call === call),
    )
    line.send({ type: 'call.route', call, agent: 'sales' })
    const { type, data } = await until('it is answered', () =>
      line.frames.find((frame) => frame.type.startsWith('call.route') && frame.call === call),
    )
    return [type, data.reason]
  }
  assert.deepEqual(await routed(), ['call.routed', undefined], 'without heartbeats it is not known')
  await beat('full', { calls: 5 })
  await beat('stopping', { calls: 5, draining: true })
  await beat('elsewhere', { env: 'production' })
  assert.deepEqual(await routed(), ['call.route_failed', 'capacity'])
  await beat('full', { calls: 4 })
  assert.deepEqual(await routed(), ['call.routed', undefined])
  await line.close()
})
