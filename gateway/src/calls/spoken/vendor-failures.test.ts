import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Client } from '../../../testing/client.ts'
import { fleetKey, type Deployment } from '../../../testing/deployment.ts'
import { done, TestAgent } from '../../../testing/agents/test-agents.ts'
import { startTrialDeployment } from '../../../testing/providers/trial-vendors.ts'
import { minuteMs } from '../../foundation/clock.ts'

const trial = await startTrialDeployment()
after(() => trial[Symbol.asyncDispose]())
const { deployment } = trial
const org = await deployment.newOrg()
const team = (await org.serverToken('sandbox')).client

const fleetOf = ({ anonymous }: Deployment) => anonymous.as(fleetKey).with({ 'svc-org': org.slug })
const firstOf = async (at: Deployment, agent: TestAgent, call: string) =>
  done(await agent.keys(fleetOf(at), call)).stages.llm.vendor as string
const down = {
  type: 'vendor.switched',
  data: { stage: 'llm', vendor: 'alpha', state: 'down', serves: 'beta' },
}
const failed = { type: 'error', data: { code: 'llm_failed', detail: 'it broke', vendor: 'alpha' } }
const append = async (at: Deployment, call: string, entry: object, batch = 1) =>
  done(await fleetOf(at).post(`/v1/calls/${call}/events`, { entries: [entry], batch }))

/** Calls that were handed their vendors at this gateway; each time under names of its own. */
async function handedCalls(at: Deployment, agent: TestAgent, name: string, count: number) {
  const calls = Array.from({ length: count }, (_, n) => `${agent.slug}-${name}-${n}`)
  for (const call of calls) await firstOf(at, agent, call)
  return calls
}

test('a vendor that half of the calls saw fail is handed last, by the entries their workers append (S-398, SD-54)', async () => {
  const agent = new TestAgent(team)
  const calls = await handedCalls(deployment, agent, 'a', 6)
  assert.equal(await firstOf(deployment, agent, 'before'), 'alpha')
  const entries = [down, failed, { ...down, data: { ...down.data, state: 'back' } }, failed]
  for (const [n, entry] of entries.entries()) await append(deployment, calls[n] ?? '', entry)
  await append(deployment, calls[0] ?? '', failed, 2) // a call counts once
  assert.equal(await firstOf(deployment, agent, 'three-of-seven'), 'alpha')
  await append(deployment, calls[4] ?? '', failed)
  assert.equal(await firstOf(deployment, agent, 'four-of-eight'), 'beta')
  deployment.clock.forward(2 * minuteMs)
})

test('a batch that is refused counts for nothing (S-398)', async () => {
  const agent = new TestAgent(team)
  const calls = await handedCalls(deployment, agent, 'b', 5)
  for (const call of calls) {
    const wrong = [failed, { type: 'agent.held', data: {} }]
    const answer = await fleetOf(deployment).post(`/v1/calls/${call}/events`, { entries: wrong })
    assert.equal(answer.status, 400)
  }
  assert.equal(await firstOf(deployment, agent, 'still'), 'alpha')
  deployment.clock.forward(2 * minuteMs)
})

test('every gateway orders by what it saw itself, and one that starts has seen nothing (S-398, S-399, S-400)', async () => {
  const agent = new TestAgent(team)
  await using other = await deployment.another()
  const here = await handedCalls(deployment, agent, 'here', 5)
  await handedCalls(other, agent, 'there', 5)
  for (const call of here) await append(deployment, call, down)
  assert.equal(await firstOf(deployment, agent, 'last-here'), 'beta')
  assert.equal(await firstOf(other, agent, 'last-there'), 'alpha')
  await using restarted = await deployment.another()
  assert.equal(await firstOf(restarted, agent, 'restarted'), 'alpha')
})

/** An org that runs its calls by workers of its own, on keys of its own. */
async function orgWithWorker() {
  const tenant = await deployment.newOrg()
  const admin = (await tenant.person('admin')).client
  for (const vendor of ['alpha', 'beta'])
    done(await admin.put(`/v1/provider-keys/${vendor}`, { key: 'own-mark-0123456789' }))
  const { client: worker } = await tenant.serverToken('sandbox')
  const fleet = deployment.anonymous.as(fleetKey).with({ 'svc-org': tenant.slug })
  return { tenant, admin, worker, fleet, agent: new TestAgent(worker) }
}

const firstBy = async (client: Client, agent: TestAgent, call: string) =>
  done(await agent.keys(client, call)).stages.llm.vendor as string

test('the failures that an org’s own worker reports move that org’s order and no other’s, however many they are', async () => {
  deployment.clock.forward(2 * minuteMs)
  const { worker, agent, fleet } = await orgWithWorker()
  const victim = new TestAgent(team)
  const own = Array.from({ length: 10 }, (_, n) => `${agent.slug}-own-${n}`)
  const theirs = Array.from({ length: 5 }, (_, n) => `${agent.slug}-fleet-${n}`)
  for (const call of own) assert.equal(await firstBy(worker, agent, call), 'alpha')
  for (const call of theirs) assert.equal(await firstBy(fleet, agent, call), 'alpha')
  for (const call of [...own, ...theirs]) {
    const entries = Array.from({ length: 100 }, () => failed)
    done(await worker.post(`/v1/calls/${call}/events`, { entries, batch: 1 }))
  }
  assert.equal(await firstOf(deployment, victim, `${victim.slug}-after`), 'alpha')
  assert.deepEqual(
    (await deployment.metrics.get('/metrics')).text.match(/svc_vendor_failing\{vendor="alpha"\} \d/g),
    ['svc_vendor_failing{vendor="alpha"} 0'],
  )
  assert.equal(await firstBy(worker, agent, `${agent.slug}-after`), 'beta')
  assert.equal(await firstBy(fleet, agent, `${agent.slug}-after-fleet`), 'beta')
  deployment.clock.forward(2 * minuteMs)
  assert.equal(await firstBy(worker, agent, `${agent.slug}-later`), 'alpha')
})

test('calls that fail on a key an org brought move that org’s order alone, though the fleet ran them', async () => {
  deployment.clock.forward(2 * minuteMs)
  const { agent, fleet } = await orgWithWorker()
  const victim = new TestAgent(team)
  const calls = Array.from({ length: 5 }, (_, n) => `${agent.slug}-bad-key-${n}`)
  for (const call of calls) await firstBy(fleet, agent, call)
  for (const call of calls)
    done(await fleet.post(`/v1/calls/${call}/events`, { entries: [failed], batch: 1 }))
  assert.equal(await firstOf(deployment, victim, `${victim.slug}-after`), 'alpha')
  assert.equal(await firstBy(fleet, agent, `${agent.slug}-after`), 'beta')
  deployment.clock.forward(2 * minuteMs)
})

test('what the fleet reports of calls on the platform’s key moves the order of every org (S-143, S-144)', async () => {
  deployment.clock.forward(2 * minuteMs)
  const { worker, agent } = await orgWithWorker()
  const other = new TestAgent(team)
  for (const call of await handedCalls(deployment, other, 'platform', 5))
    await append(deployment, call, failed)
  assert.equal(await firstBy(worker, agent, `${agent.slug}-after`), 'beta')
  deployment.clock.forward(2 * minuteMs)
})

test('an org’s token that reports on a call the fleet runs moves nothing', async () => {
  deployment.clock.forward(2 * minuteMs)
  const agent = new TestAgent(team)
  const calls = await handedCalls(deployment, agent, 'forged', 5)
  for (const call of calls) done(await team.post(`/v1/calls/${call}/events`, { entries: [failed], batch: 1 }))
  assert.equal(await firstOf(deployment, agent, `${agent.slug}-after`), 'alpha')
})
