import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fleetKey, type Deployment } from '../../../testing/deployment.ts'
import { done, TestAgent } from '../../../testing/test-agents.ts'
import { startTrialDeployment } from '../../../testing/trial-vendors.ts'
import { minuteMs } from '../../foundation/clock.ts'

const trial = await startTrialDeployment()
after(() => trial[Symbol.asyncDispose]())
const { deployment } = trial
const org = await deployment.newOrg()
const team = (await org.serverToken('sandbox')).client

const fleetOf = ({ nobody }: Deployment) => nobody.as(fleetKey).with({ 'svc-org': org.slug })
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
