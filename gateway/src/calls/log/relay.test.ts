import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { range, said, TestLogs } from '../../../testing/calls/test-logs.ts'
import { until } from '../../../testing/until.ts'
import { agentLog } from './entries.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const logs = await TestLogs.of(deployment)
const { org } = logs
const { log } = deployment.gateway.services

test('the relay shows what happens from now on, by name, with the agent and the call beside it (N-506, N-507, N-509, N-510, ND-113, T-108)', async () => {
  const call = await logs.open(2)
  using reader = await logs.read('/v1/events', { 'last-event-id': '0' })
  assert.deepEqual([reader.status, reader.headers['content-type']], [200, 'text/event-stream'])
  log.show(call, [{ type: 'user.speaking', data: { text: 'th' } }])
  await logs.write(call, [said('three')])
  await reader.came('user.message')
  const [agent, id] = ['desk', call.id]
  assert.equal(
    reader.raw,
    [
      `event: user.speaking\ndata: {"agent":"${agent}","call":"${id}","text":"th"}\n\n`,
      `event: user.message\ndata: {"agent":"${agent}","call":"${id}","text":"three","messageId":"three"}\n\n`,
    ].join(''),
  )
})

test('the relay needs no `Accept`, and is flushed at once (N-506, ND-113)', async () => {
  const { status, headers } = await logs.client.get('/v1/events')
  assert.deepEqual(
    [status, headers.get('content-type'), headers.get('cache-control'), headers.get('x-accel-buffering')],
    [200, 'text/event-stream', 'no-store', 'no'],
  )
  assert.equal((await logs.client.send('HEAD', '/v1/events')).status, 200)
})

test('the relay sends a comment every 30 seconds (N-508, N-534)', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  using reader = await logs.read('/v1/events')
  t.mock.timers.tick(29_999)
  t.mock.timers.tick(1)
  await until('a comment comes', () => reader.raw === ':ping\n\n')
})

test('the relay carries only the calls of its own process (N-511, T-108)', async () => {
  const other = await deployment.another()
  const call = await logs.open()
  using here = await logs.read('/v1/events')
  using there = await logs.read('/v1/events', { at: other })
  await logs.write(call, [said('here')])
  await other.gateway.services.log.append(call, [said('there')])
  const texts = ({ events }: typeof here) => events.map(({ data }) => data.text)
  await until('each shows its own', () => here.events.length > 0 && there.events.length > 0)
  await logs.write(call, [said('here again')])
  await until('the reader continues', () => here.events.length > 1)
  assert.deepEqual([texts(here), texts(there)], [['here', 'here again'], ['there']])
  await other[Symbol.asyncDispose]()
})

test("the relay shows the key's org and environment, and of `?agent=` that agent alone (ND-113)", async () => {
  const stranger = await TestLogs.of(deployment)
  const live = await org.serverToken('production')
  using all = await logs.read('/v1/events')
  using sales = await logs.read('/v1/events?agent=sales')
  using production = await logs.read('/v1/events', { key: live.key })
  using elsewhere = await stranger.read('/v1/events')
  await logs.write(await logs.open(0, 'desk'), [said('desk')])
  await logs.write(await logs.open(0, 'sales'), [said('sales')])
  await logs.write(await logs.open(0, 'sales', live.client, 'production'), [said('live')])
  await stranger.write(await stranger.open(), [said('strange')])
  const texts = ({ events }: typeof all) => events.map(({ data }) => data.text)
  await until('the last came', () => elsewhere.events.length === 1)
  await until('all came', () => all.events.length === 2 && production.events.length === 1)
  assert.deepEqual(texts(all), ['desk', 'sales'])
  assert.deepEqual([texts(sales), texts(production), texts(elsewhere)], [['sales'], ['live'], ['strange']])
})

test("the relay shows entries of calls, not those of an agent's own log (N-511)", async () => {
  const call = await logs.open()
  using reader = await logs.read('/v1/events')
  await log.append(agentLog(call), [{ type: 'agent.held', data: { app: 'ci' } }])
  await logs.write(call, [said('seen')])
  await reader.came('user.message')
  assert.deepEqual(reader.types, ['user.message'])
})

test('the relay is narrowed by `?agent=` and not without it; it takes a key that opens calls (ND-113, I-316)', async () => {
  const narrowed = await org.person('developer', { agents: ['sales'] })
  refused(await narrowed.client.get('/v1/events?agent=desk'), 403, 'this key works on sales alone')
  using reader = await logs.read('/v1/events', { key: narrowed.key })
  using own = await logs.read('/v1/events?agent=sales', { key: narrowed.key })
  assert.equal(own.status, 200)
  await logs.write(await logs.open(0, 'desk'), [said('of any agent')])
  assert.equal((await reader.came('user.message')).data.agent, 'desk')
  const talk = await org.serverToken('sandbox', { scopes: ['talk'] })
  refused(await talk.client.get('/v1/events'), 403, 'this key does not open calls: it opens talk')
})

test('a reader of the relay that does not keep up is closed, and the others continue (ND-113)', async () => {
  const call = await logs.open()
  using slow = await logs.read('/v1/events')
  using quick = await logs.read('/v1/events')
  slow.pause()
  const big = 'x'.repeat(100_000)
  for (const n of range(1, 30)) {
    await logs.write(
      call,
      range(1, 10).map((m) => said(`${n}.${m} ${big}`)),
    )
    await until('the other keeps up', () => quick.events.length === 10 * n)
  }
  slow.resume()
  await until('it is closed', () => slow.isClosed)
  assert.equal(slow.isEnded, false)
  assert.ok(slow.events.length < 300)
})

test('a relay ends with its key', async () => {
  const key = await org.serverToken('sandbox')
  using reader = await logs.read('/v1/events', { key: key.key })
  await deployment.sql('update keys set revoked_at = now() where id = $1', [key.key_id])
  await until('it ends', () => reader.isEnded)
})
