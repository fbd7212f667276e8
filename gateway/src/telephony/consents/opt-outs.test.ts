import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused, type Client } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { entriesOf, newNumber, SpokenAgent, typesOf } from '../../../testing/calls/spoken-calls.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { sql } = deployment

async function newOrgClient() {
  const org = await deployment.newOrg()
  const { client } = await org.serverToken('sandbox')
  const agent = await new SpokenAgent(deployment, org, 'desk').route()
  return { org, client, agent, app: await agent.holdingApp() }
}
const factsOf = async (client: Client, number: string) =>
  done(await client.get(`/v1/org/consents/${number}`)).rows
const isListed = async (client: Client, number: string) =>
  done(await client.get('/v1/org/dnc')).numbers.some((item: { number: string }) => item.number === number)
const optedOut = { type: 'call.opt_out', data: {} }

test('a caller who asks the agent is on the list: a fact that names the call, and an entry in its log (N-044, ND-67)', async () => {
  const { client, agent, app } = await newOrgClient()
  const from = newNumber()
  const call = await agent.open({ from })
  app.send({ type: 'call.opt_out', call })
  await until('the number is listed', () => isListed(client, from))
  const [row, ...more] = await factsOf(client, from)
  assert.deepEqual([row.fact, row.by, row.call, more], ['opt_out', 'caller', call, []])
  const entry = (await entriesOf(deployment, call)).find(({ type }) => type === 'call.opt_out')
  assert.deepEqual(entry?.data, { number: from })
})

test('a worker reports an opt-out among other entries: the fact, the entry and the rest of the batch come together (N-044, ND-67)', async () => {
  const { client, agent } = await newOrgClient()
  const from = newNumber()
  const call = await agent.open({ from })
  const said = { type: 'user.message', data: { text: 'never call again', messageId: 'm1' } }
  const wrong = { type: 'call.opt_out', data: { number: '+15550001111', note: 'of somebody else' } }
  done(await agent.append(call, [said, wrong, { type: 'turn.end', data: {} }], 1))
  const entries = (await entriesOf(deployment, call)).slice(1)
  assert.deepEqual(typesOf(entries), ['user.message', 'call.opt_out', 'turn.end'])
  assert.deepEqual(entries[1]?.data, { number: from })
  const [row, ...more] = await factsOf(client, from)
  assert.deepEqual([row.fact, row.by, row.call, more], ['opt_out', 'caller', call, []])
  assert.deepEqual(await factsOf(client, '+15550001111'), [])
})

test('a batch that comes again, also at the same instant, opts out once (ND-67)', async () => {
  const { client, agent } = await newOrgClient()
  const from = newNumber()
  const call = await agent.open({ from })
  const answers = await Promise.all(Array.from({ length: 5 }, () => agent.append(call, [optedOut], 1)))
  for (const answer of answers) assert.deepEqual(answer.body, { seq: 2 }, answer.text)
  assert.deepEqual(done(await agent.append(call, [optedOut], 1)), { seq: 2 })
  assert.equal((await factsOf(client, from)).length, 1)
  assert.equal((await entriesOf(deployment, call)).length, 2)
})

test('neither the fact nor the entry is there without the other (ND-67)', async () => {
  const { client, agent } = await newOrgClient()
  const from = newNumber()
  const call = await agent.open({ from })
  refused(await agent.append(call, [optedOut], 7), 409, 'batch 7 came before batch 1: send that one first')
  done(await agent.append(call, [{ type: 'call.ended', data: { reason: 'hangup' } }]))
  refused(await agent.append(call, [optedOut]), 409, 'this call has ended')
  assert.deepEqual(await factsOf(client, from), [])
})

test('a call without a number opts nothing out (ND-67)', async () => {
  const { org, agent } = await newOrgClient()
  const sentence = 'this call has no number to opt out'
  for (const from of ['', 'anonymous', '12125550123']) {
    const call = await agent.open({ from })
    refused(await agent.append(call, [optedOut]), 400, sentence)
    assert.deepEqual(typesOf(await entriesOf(deployment, call)), ['call.started'])
  }
  const { rowCount } = await sql('select from consents where org = $1', [org.id])
  assert.equal(rowCount, 0)
})

test('a person who opted out is still answered when they call, and a call from them lifts nothing (ND-68)', async () => {
  const { client, agent } = await newOrgClient()
  const from = newNumber()
  done(await client.delete(`/v1/org/consents/${from}`))
  const call = await agent.open({ from })
  done(await agent.append(call, [{ type: 'user.message', data: { text: 'hello', messageId: 'm1' } }]))
  assert.equal(await isListed(client, from), true)
})

test('forgetting a person leaves what they agreed to and that they opted out (N-312, N-313, T-107, ND-69)', async () => {
  const { org, client, agent } = await newOrgClient()
  const manager = (await org.person('manager', { production: true })).client
  const from = newNumber()
  const call = await agent.open({ from })
  done(await client.post('/v1/org/consents', { number: from, kind: 'express', source: 'form', text: 'yes' }))
  done(await agent.append(call, [optedOut]))
  const before = await factsOf(client, from)
  assert.equal((await manager.delete(`/v1/contacts/${from}`)).status, 204)
  assert.equal(JSON.stringify(await factsOf(client, from)), JSON.stringify(before))
  assert.deepEqual([before.length, await isListed(client, from)], [2, true])
})
