import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { AppClient } from '../../../testing/agents/app-client.ts'
import { appFixture, said } from '../../../testing/calls/app-fixture.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { append, openCall } from '../../../testing/calls/assigned-call.ts'
import { until } from '../../../testing/until.ts'
import type { AssignedCall } from './app-requests.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const other = await deployment.another()
const gateways = [deployment, other]
const org = await deployment.newOrg()
const { ci, newAgent, newApp } = await appFixture(deployment, org)
const started = { type: 'chat.started', data: {} }
const connect = (at: { url: string } = deployment) => AppClient.connect(at.url, ci.key)

const heldError = (agent: string, detail: string) => ({ type: 'error', agent, code: 'AGENT_HELD', detail })

/** The calls that each app was given, in the order of the apps. */
const given = (apps: readonly AppClient[]) =>
  apps.map(({ frames }) => frames.filter(({ type }) => type === 'chat.started').map(({ call }) => call))

async function openCalls(agent: string, count: number, at = deployment) {
  const calls = []
  for (let n = 0; n < count; n += 1) calls.push(await openCall(deployment, ci.client, agent))
  await Promise.all(calls.map((call) => append(at, call, started)))
  return calls
}

test('an agent that an app holds exclusively is refused to every other, and the same process may hold it again', async () => {
  const agent = newAgent()
  const app = await newApp(agent, { app: 'desk', instance: 'p1', exclusive: true })
  const rival = await connect(other)
  const taken = heldError(agent, `the app desk holds ${agent} exclusively: stop it, or hold another agent`)
  for (const more of [{}, { app: 'desk', balance: true }, { exclusive: true }])
    assert.deepEqual(await rival.register(agent, { instance: 'p2', ...more }), taken)
  const again = await connect(other)
  const back = await again.register(agent, { app: 'desk', instance: 'p1', exclusive: true })
  assert.equal(back.type, 'agent.registered') // the gateway may not have noticed that its first socket is gone
  await Promise.all([app.close(), again.close()])
  await until('it is free', async () => (await rival.register(agent, { instance: 'p2' })).type !== 'error')
  await rival.close()
})

test('an app that wants an agent for itself is refused while another holds it', async () => {
  const agent = newAgent()
  const app = await newApp(agent, { app: 'desk' })
  const rival = await connect(other)
  assert.deepEqual(
    await rival.register(agent, { exclusive: true }),
    heldError(agent, `the app desk holds ${agent} already: stop it before you hold ${agent} exclusively`),
  )
  assert.equal((await rival.register(newAgent(), { exclusive: true })).type, 'agent.registered')
  await Promise.all([app.close(), rival.close()])
})

test('of several apps that want an agent for themselves at the same instant on two gateways one gets it', async () => {
  const rivals = await Promise.all(Array.from({ length: 6 }, (_, n) => connect(gateways[n % 2])))
  for (let round = 0; round < 5; round += 1) {
    const agent = newAgent()
    const answers = await Promise.all(rivals.map((app) => app.register(agent, { exclusive: true })))
    const types = answers.map(({ type }) => type)
    assert.equal(types.filter((type) => type === 'agent.registered').length, 1, types.join(' '))
  }
  await Promise.all(rivals.map((app) => app.close()))
})

test('processes of an app that hold an agent with balance get new calls in turn, and keep them', async () => {
  const agent = newAgent()
  const pool = { app: 'pool', balance: true, exclusive: true }
  const apps = await Promise.all(
    [0, 1, 2].map((n) => newApp(agent, { ...pool, instance: `p${n}` }, gateways[n % 2])),
  )
  const opened: AssignedCall[] = []
  for (let n = 0; n < 6; n += 1) {
    const [call] = await openCalls(agent, 1, gateways[n % 2])
    assert.ok(call)
    opened.push(call)
    await until('it is given', () => given(apps).flat().includes(call.id))
  }
  assert.deepEqual(
    given(apps).map((calls) => calls.length),
    [2, 2, 2],
  )
  const later = await newApp(agent, { ...pool, instance: 'p3' })
  const [first] = opened
  assert.ok(first)
  const keeper = apps.find((_, n) => given(apps)[n]?.includes(first.id))
  assert.ok(keeper)
  await append(deployment, first, said('still here'))
  assert.equal((await keeper.nextOf('user.message')).call, first.id)
  await Promise.all([...apps, later].map((app) => app.close()))
})

test('calls that come at the same instant on two gateways are spread evenly', async () => {
  const agent = newAgent()
  const apps = await Promise.all(
    [0, 1, 2, 3].map((n) =>
      newApp(agent, { app: 'pool', balance: true, instance: `p${n}` }, gateways[n % 2]),
    ),
  )
  const calls = []
  for (let n = 0; n < 24; n += 1) calls.push(await openCall(deployment, ci.client, agent))
  await Promise.all(calls.map((call, n) => append(gateways[n % 2] ?? deployment, call, started)))
  await until('all are given', () => given(apps).flat().length === 24)
  assert.deepEqual(
    given(apps).map(({ length }) => length),
    [6, 6, 6, 6],
  )
  assert.equal(new Set(given(apps).flat()).size, 24)
  await Promise.all(apps.map((app) => app.close()))
})

test('the newest app gets new calls unless it takes turns, and then only with its own processes', async () => {
  const agent = newAgent()
  const pool = { app: 'pool', balance: true }
  const first = await newApp(agent, { ...pool, instance: 'p1' })
  const stranger = await newApp(agent, { app: 'stranger', balance: true, instance: 's' })
  const second = await newApp(agent, { ...pool, instance: 'p2' }, other)
  await openCalls(agent, 4)
  await until('all are given', () => given([first, second, stranger]).flat().length === 4)
  assert.deepEqual(
    given([first, second, stranger]).map(({ length }) => length),
    [2, 2, 0],
  )
  const newest = await newApp(agent, { app: 'newest' })
  await openCalls(agent, 3)
  await until('all are given', () => given([newest]).flat().length === 3)
  await Promise.all([first, second, stranger, newest].map((app) => app.close()))
})

test('apps that ask for it are told who else holds their agent and where new calls go, on every gateway', async () => {
  const agent = newAgent()
  const holders = { holders: true }
  const notice = (held: object[], calls: string) => ({ type: 'agent.holders', agent, holders: held, calls })
  const desk = { app: 'desk', processes: 1 }
  const shop = { app: 'shop', processes: 1 }
  const first = await newApp(agent, { app: 'desk', instance: 'd', ...holders })
  assert.deepEqual(await first.next(), notice([desk], 'yours'))
  const silent = await newApp(newAgent())
  const second = await newApp(agent, { app: 'shop', instance: 's', ...holders }, other)
  assert.deepEqual(await second.next(), notice([shop, desk], 'yours'))
  assert.deepEqual(await first.next(), notice([shop, desk], 'others'))
  await second.close()
  assert.deepEqual(await first.next(), notice([desk], 'yours'))
  assert.equal(silent.frames.length, 1)
  await Promise.all([first.close(), silent.close()])

  const pool = { app: 'pool', balance: true, ...holders }
  const [one, two] = [
    await newApp(agent, { ...pool, instance: 'p1' }),
    await newApp(agent, { ...pool, instance: 'p2' }, other),
  ]
  const shared = notice([{ app: 'pool', processes: 2 }], 'shared')
  for (const app of [one, two])
    await until('it is told', () => JSON.stringify(app.frames.at(-1)) === JSON.stringify(shared))
  await Promise.all([one.close(), two.close()])
})

test('how an agent is held is a true or a false', async () => {
  const app = await connect()
  for (const name of ['exclusive', 'balance', 'holders'])
    assert.equal((await app.register(newAgent(), { [name]: 1 })).detail, `${name}: must be true or false`)
  await app.close()
})
