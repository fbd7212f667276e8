import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { fleetKey, startDeployment } from '../../../testing/deployment.ts'
import { ends, TestLogs } from '../../../testing/calls/test-logs.ts'
import { until } from '../../../testing/until.ts'
import { agentLog } from './entries.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const logs = await TestLogs.of(deployment)
const { client, org } = logs
const { log } = deployment.gateway.services

test('an unknown call, of another org or of the other environment is not there; a narrowed agent is refused (ND-104, T-96)', async () => {
  const call = await logs.open(1)
  const unknown = (id: string) => `there is no call ${id}`
  const stranger = await TestLogs.of(deployment)
  const live = await org.serverToken('production')
  const narrowed = await org.person('developer', { agents: ['sales'] })
  for (const accept of ['application/json', 'text/event-stream']) {
    const as = (key: string) => deployment.anonymous.with({ accept }).as(key)
    refused(await as(logs.key).get('/v1/calls/nosuch/events'), 404, unknown('nosuch'))
    refused(await as(stranger.key).get(call.at), 404, unknown(call.id))
    refused(await as(live.key).get(call.at), 404, unknown(call.id))
    refused(await as(narrowed.key).get(call.at), 403, 'this key works on sales alone')
    refused(await as(narrowed.key).get('/v1/agents/desk/events'), 403, 'this key works on sales alone')
  }
})

test("the name of an agent's own log does not open it as a call (T-96)", async () => {
  const own = agentLog({ org: org.id, env: 'sandbox', agent: 'secretive' })
  await logs.open(0, 'secretive')
  await log.append(own, [{ type: 'message.waiting', data: { text: 'secret' } }])
  const narrowed = await org.person('developer', { agents: ['sales'] })
  const guessed = `/v1/calls/${encodeURIComponent(own.id)}/events`
  refused(await narrowed.client.get(guessed), 404, `there is no call ${own.id}`)
})

test('each agent has a log per environment, which never ends, with the call an entry speaks of (ND-103, ND-104)', async () => {
  await logs.open(0, 'front')
  const at = '/v1/agents/front/events'
  using reader = await logs.read(at)
  assert.deepEqual((await reader.came('log.caught_up')).data.seq, 0)
  const own = agentLog({ org: org.id, env: 'sandbox', agent: 'front' })
  await log.append(own, [{ type: 'agent.held', data: { app: 'ci' } }])
  await log.append(own, [{ type: 'callback.requested', data: { call: 'call_1', number: '+15551234' } }])
  await log.append(own, [ends])
  await until('all came', () => reader.seqs.length === 3)
  const { entries, ended } = (await client.get(at)).body
  assert.deepEqual(
    entries.map(({ seq, call, agent, type }: Record<string, unknown>) => [seq, call, agent, type]),
    [
      [1, '', 'front', 'agent.held'],
      [2, 'call_1', 'front', 'callback.requested'],
      [3, '', 'front', 'call.ended'],
    ],
  )
  assert.deepEqual([ended, reader.isEnded], [false, false])
  const live = await org.serverToken('production')
  assert.deepEqual((await live.client.get(at)).body.entries, [])
  refused(await client.get('/v1/agents/No%20Slug/events'), 404, 'there is no agent No Slug')
  assert.deepEqual((await client.get('/v1/agents/unheard-of/events')).body, {
    entries: [],
    next: 0,
    gap: null,
    ended: false,
  })
})

test("a worker reads the log of its call: with a token that opens app, or the fleet's key and no org named (N-493)", async () => {
  const call = await logs.open(2)
  const fleet = deployment.anonymous.as(fleetKey)
  assert.equal((await fleet.get(call.at)).body.entries.length, 2)
  refused(await fleet.get('/v1/calls/nosuch/events'), 404, 'there is no call nosuch')
  const { slug } = await deployment.newOrg()
  refused(await fleet.with({ 'svc-org': slug }).get(call.at), 404, `there is no call ${call.id}`)
  refused(await fleet.in('production').get(call.at), 404, `there is no call ${call.id}`)
  const app = await org.serverToken('sandbox', { scopes: ['app'] })
  assert.equal((await app.client.get(call.at)).body.entries.length, 2)
  const talk = await org.serverToken('sandbox', { scopes: ['talk'] })
  refused(await talk.client.get(call.at), 403, 'this key does not open calls: it opens talk')
  refused(await app.client.get('/v1/agents/desk/events'), 403, 'this key does not open calls: it opens app')
})
