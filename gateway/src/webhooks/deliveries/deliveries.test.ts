import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { done } from '../../../testing/agents/test-agents.ts'
import { ends, said } from '../../../testing/calls/test-logs.ts'
import { refused } from '../../../testing/client.ts'
import { until } from '../../../testing/until.ts'
import { startWebhookDeployment } from '../../../testing/webhooks/webhook-deployment.ts'
import { verified } from '../../../testing/webhooks/webhook-receiver.ts'
import { dayMs, minuteMs } from '../../foundation/clock.ts'

const webhooks = await startWebhookDeployment()
after(() => webhooks[Symbol.asyncDispose]())
const { deployment, receiver } = webhooks
const { clock } = deployment
const starts = { type: 'chat.started', data: {} }
beforeEach(() => {
  receiver.reply = () => ({})
})

test('an endpoint is sent in order that a call began and ended, with its transcript, signed for the library of Standard Webhooks', async () => {
  const { admin, logs, create } = await webhooks.newOrg()
  const { id, secret } = await create('/whole')
  receiver.reply = () => ({ status: 200, text: 'thanks' })
  const call = await logs.open()
  await logs.write(call, [starts, said('Where is my order?')])
  await logs.write(call, [{ type: 'agent.message', data: { text: 'On its way.' } }])
  await logs.write(call, [ends])
  const [started, ended] = await receiver.events('/whole', 2)
  assert.ok(started && ended)
  for (const event of [started, ended]) assert.deepEqual(verified(secret, event), event.body)
  assert.deepEqual([started.body.type, ended.body.type], ['call.started', 'call.ended'])
  assert.deepEqual([ended.body.env, ended.body.agent, ended.body.call], ['sandbox', 'desk', call.id])
  const { summary, reason, recording, direction } = ended.body.data
  assert.deepEqual(
    summary.turns.map(({ who, text }: Record<string, string>) => `${who}: ${text}`),
    ['contact: Where is my order?', 'agent: On its way.'],
  )
  assert.deepEqual([reason, recording, direction, summary.truncated], ['hangup', null, 'inbound', false])
  assert.match(started.headers['user-agent'] ?? '', /^Switchroom\//)

  const page = await until('both are settled', async () => {
    const { deliveries, next } = done(await admin.get(`/v1/webhooks/${id}/deliveries`))
    return (
      deliveries.every(({ state }: Record<string, string>) => state === 'delivered') && { deliveries, next }
    )
  })
  assert.deepEqual(
    page.deliveries.map(({ event, type, status }: Record<string, string>) => [event, type, status]),
    [
      [ended.id, 'call.ended', 200],
      [started.id, 'call.started', 200],
    ],
  )
  const detail = done(await admin.get(`/v1/webhooks/${id}/deliveries/${ended.id}`))
  assert.equal(detail.body, ended.text)
  const [tried] = detail.tries
  assert.deepEqual([tried.status, tried.answer, tried.error], [200, 'thanks', null])
  for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
    assert.equal(tried.headers[name], ended.headers[name])
  const first = done(await admin.get(`/v1/webhooks/${id}/deliveries?limit=1`))
  const second = done(await admin.get(`/v1/webhooks/${id}/deliveries?limit=1&after=${first.next}`))
  assert.deepEqual([first.deliveries[0].event, second.deliveries[0].event], [ended.id, started.id])
  const failed = done(await admin.get(`/v1/webhooks/${id}/deliveries?state=failed`))
  assert.deepEqual(failed, { deliveries: [], next: null })
})

test('a webhook is sent the types and agents that it chose, in its environment alone', async () => {
  const { org, admin, logs, create } = await webhooks.newOrg()
  await create('/ends', { types: ['call.ended'] })
  await create('/sales', { types: ['call.*'], agents: ['sales'] })
  const live = { url: receiver.at('hooks.acme.example', '/live') }
  done(await admin.in('production').post('/v1/webhooks', live))
  for (const agent of ['desk', 'sales']) {
    const call = await logs.open(0, agent)
    await logs.write(call, [starts, ends])
  }
  const sales = await receiver.events('/sales', 2)
  assert.deepEqual(
    sales.map(({ body }) => `${body.type} ${body.agent}`),
    ['call.started sales', 'call.ended sales'],
  )
  const ended = await receiver.events('/ends', 2)
  assert.ok(ended.every(({ body }) => body.type === 'call.ended'))
  const { rows } = await deployment.sql(
    `select env, count(*)::int from webhook_events where org = $1 group by env`,
    [org.id],
  )
  assert.deepEqual(rows, [{ env: 'sandbox', count: 3 }]) // nobody asked for the start of the desk's call
})

test('what fails is sent again later with the same id and body, and what follows in its call waits for it', async () => {
  const { admin, logs, create } = await webhooks.newOrg()
  const { id } = await create('/flaky')
  let isUp = false
  receiver.reply = () => (isUp ? {} : { status: 500, text: 'broken' })
  const [call, other] = [await logs.open(), await logs.open()]
  await logs.write(call, [starts, ends])
  await receiver.events('/flaky', 1)
  const deliveries = () => admin.get(`/v1/webhooks/${id}/deliveries?call=${call.id}`)
  await until('the failure is kept', async () => done(await deliveries()).deliveries[1].status === 500)
  const [last, begun] = done(await deliveries()).deliveries
  assert.deepEqual([begun.state, begun.error], ['pending', 'it answered 500'])
  assert.deepEqual([last.state, last.attempts], ['pending', 0])
  assert.equal(done(await admin.get(`/v1/webhooks/${id}`)).state, 'failing')

  isUp = true
  await logs.write(other, [starts]) // another call's does not wait
  const came = (of: string) =>
    receiver.received.filter(({ path, body }) => path === '/flaky' && body.call === of)
  await until("the other call's came", () => came(other.id).length > 0)
  clock.forward(minuteMs)
  await until('the end came', () => came(call.id).at(-1)?.body.type === 'call.ended')
  const [first, ...more] = came(call.id).slice(0, -1)
  assert.ok(more.length > 0)
  for (const again of more) assert.deepEqual([again.id, again.text], [first?.id, first?.text])
  await until('it is well', async () => done(await admin.get(`/v1/webhooks/${id}`)).state === 'active')
})

test('after three days a delivery is given up, and sent again by hand with the same id', async () => {
  const { admin, logs, create } = await webhooks.newOrg()
  const { id } = await create('/gone', { types: ['call.ended'] })
  receiver.reply = () => ({ status: 503 })
  const call = await logs.open()
  await logs.write(call, [ends])
  const [sent] = await receiver.events('/gone', 1)
  const detailOf = async () => done(await admin.get(`/v1/webhooks/${id}/deliveries/${sent?.id}`))
  await until('the failure is kept', async () => (await detailOf()).status === 503)
  clock.forward(2.5 * dayMs)
  const before = (await detailOf()).tries.length
  await until('it was tried again', async () => (await detailOf()).attempts > before)
  await until('the failure is kept', async () => (await detailOf()).tries.length > before)
  clock.forward(dayMs)
  await until('it is given up', async () => (await detailOf()).state === 'failed')
  receiver.reply = () => ({})
  const again = done(
    await admin.post(`/v1/webhooks/${id}/redeliver`, { since: new Date(0).toISOString() }).then(paused),
  )
  assert.deepEqual(again, { deliveries: 1 })
  await until('it is delivered', async () => (await detailOf()).state === 'delivered')
  const all = await receiver.events('/gone')
  assert.deepEqual(new Set(all.map(({ id: event }) => event)).size, 1)

  const byHand = done(await admin.post(`/v1/webhooks/${id}/deliveries/${sent?.id}/redeliver`))
  assert.equal(byHand.state, 'pending')
  assert.equal((await receiver.events('/gone', all.length + 1)).at(-1)?.id, sent?.id)
  refused(
    await admin.post(`/v1/webhooks/${id}/deliveries/evt_nothing/redeliver`),
    404,
    `webhook ${id} has no delivery of evt_nothing: deliveries are kept for seven days`,
  )
  refused(
    await admin.post(`/v1/webhooks/${id}/redeliver`, { since: 'yesterday' }),
    422,
    'since: must be a time, such as 2026-01-31T09:00:00Z',
  )

  // the endpoint failed for more than three days, so that it was paused with the last attempt
  async function paused(answer: Awaited<ReturnType<typeof admin.post>>) {
    refused(answer, 409, `webhook ${id} is paused: resume it first`)
    done(await admin.patch(`/v1/webhooks/${id}`, { paused: false }))
    return admin.post(`/v1/webhooks/${id}/redeliver`, {})
  }
})

test('while a webhook is paused its events wait, three days at most, and a test is refused', async () => {
  const { admin, logs, create } = await webhooks.newOrg()
  const { id } = await create('/resting')
  const at = `/v1/webhooks/${id}`
  const paused = done(await admin.patch(at, { paused: true }))
  assert.deepEqual([paused.state, paused.paused_why], ['paused', 'person'])
  refused(await admin.post(`${at}/test`), 409, `webhook ${id} is paused: resume it first`)
  const old = await logs.open()
  await logs.write(old, [starts])
  const listed = async () => done(await admin.get(`${at}/deliveries`)).deliveries
  await until('it is held back', async () => (await listed())[0]?.next_at === null)
  clock.forward(3 * dayMs + minuteMs)
  const young = await logs.open()
  await logs.write(young, [starts])
  await deployment.gateway.services.housekeeping.run()
  assert.deepEqual(
    (await listed()).map(({ call, state }: Record<string, string>) => [call, state]),
    [
      [young.id, 'pending'],
      [old.id, 'failed'],
    ],
  )
  done(await admin.patch(at, { paused: false }))
  const [first] = await receiver.events('/resting', 1)
  assert.equal(first?.body.call, young.id)
  const { event } = done(await admin.post(`${at}/test`))
  const [, tested] = await receiver.events('/resting', 2)
  assert.deepEqual([tested?.id, tested?.body.type], [event, 'webhook.test'])
  assert.deepEqual(tested?.body.data, { note: 'a test: it tells of nothing that happened' })
})

test('what was sent is kept for seven days, and forgotten with its webhook', async () => {
  const { org, admin, logs, create } = await webhooks.newOrg()
  const { id } = await create('/week')
  const call = await logs.open()
  await logs.write(call, [starts])
  const [event] = await receiver.events('/week', 1)
  const counted = async (table: string) =>
    (await deployment.sql(`select count(*)::int from ${table} where org = $1`, [org.id])).rows[0].count
  clock.forward(6.9 * dayMs)
  await deployment.gateway.services.housekeeping.run()
  assert.equal(await counted('webhook_events'), 1)
  clock.forward(0.2 * dayMs)
  await deployment.gateway.services.housekeeping.run()
  assert.equal(await counted('webhook_events'), 0)
  refused(
    await admin.get(`/v1/webhooks/${id}/deliveries/${event?.id}`),
    404,
    `webhook ${id} has no delivery of ${event?.id}: deliveries are kept for seven days`,
  )
  done(await admin.delete(`/v1/webhooks/${id}`))
  refused(await admin.get(`/v1/webhooks/${id}`), 404, `this org has no webhook ${id} in sandbox`)
})

test('an org without webhooks leaves nothing in the queue', async () => {
  const { org, logs } = await webhooks.newOrg()
  const call = await logs.open()
  await logs.write(call, [starts, said('Hi'), ends])
  const { rows } = await deployment.sql(`select from webhook_events where org = $1`, [org.id])
  assert.equal(rows.length, 0)
})

test('the metrics count attempts by their result, and how long the queue is', async () => {
  const { text } = await deployment.metrics.get('/metrics')
  assert.match(text, /^switchroom_webhook_attempts_total\{result="delivered"\} [1-9]/m)
  assert.match(text, /^switchroom_webhook_attempts_total\{result="given_up"\} [1-9]/m)
  assert.match(text, /^switchroom_queue_length\{queue="webhooks"\} \d+$/m)
})
