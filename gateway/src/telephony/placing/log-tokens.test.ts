import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { EventReader } from '../../../testing/calls/event-reader.ts'
import { PlacingOrg, startPlacing } from '../../../testing/telephony/placing-fixture.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'
import { hourMs, minuteMs, secondMs } from '../../foundation/clock.ts'

const { media, deployment } = await startPlacing()
after(() => media.stop())
after(() => deployment[Symbol.asyncDispose]())
const { anonymous, clock, sql } = deployment
beforeEach(() => media.dials.go('hold'))

async function dialled(log: unknown, placingOrg?: PlacingOrg) {
  const of = placingOrg ?? (await PlacingOrg.open(deployment))
  const { call, log_token } = done(await of.ask(await of.known(), { log }))
  return { placingOrg: of, call: call as string, token: log_token as string, at: `/v1/calls/${call}/events` }
}
const opensNothing = 'this token opens nothing here'

test('a dial may ask for a token that opens the call’s log, as bearer or in the query (ND-52)', async () => {
  const { token, at, placingOrg } = await dialled(true)
  assert.match(token, /^lt_[A-Za-z0-9_-]{43}$/)
  for (const answer of [await anonymous.as(token).get(at), await anonymous.get(`${at}?token=${token}`)]) {
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(answer.body.entries[0].type, 'call.dialing')
  }
  assert.equal((await dialled(false, placingOrg)).token, null)
  assert.equal((await dialled(undefined, placingOrg)).token, null)
  assert.match((await dialled({}, placingOrg)).token, /^lt_/)
})

test('it opens nothing else: no verb, no other call, no other log (T-97, ND-52)', async () => {
  const { placingOrg, call, token } = await dialled(true)
  const other = await dialled(true, placingOrg)
  const reader = anonymous.as(token)
  refused(await reader.get(other.at), 401, opensNothing)
  refused(await anonymous.get(`${other.at}?token=${token}`), 401, opensNothing)
  refused(await reader.get('/v1/calls/nosuch/events'), 401, opensNothing)
  const key = 'this key opens nothing'
  refused(await reader.post(`/v1/calls/${call}/verbs`, { verb: 'end' }), 401, key)
  refused(await reader.post(`/v1/calls/${call}/events`, { entries: [] }), 401, key)
  refused(await reader.get(`/v1/calls/${call}/state`), 401, key)
  refused(await reader.get('/v1/agents/desk/events'), 401, key)
  refused(await reader.get('/v1/events'), 401, key)
  const asQuery = 'this door takes an API key'
  refused(await anonymous.get(`/v1/calls/${call}/state?token=${token}`), 401, asQuery)
})

test('a key in the query is no token, and an unknown token opens nothing (ND-52)', async () => {
  const { placingOrg, at } = await dialled(true)
  refused(await anonymous.get(`${at}?token=${placingOrg.key}`), 401, opensNothing)
  refused(await anonymous.get(`${at}?token=`), 401, 'this door takes an API key')
  refused(await anonymous.as('lt_invented').get(at), 401, opensNothing)
  assert.equal((await placingOrg.client.get(`${at}?token=lt_invented`)).status, 200)
})

test('it lives until an hour after the call ended (T-97, ND-52)', async () => {
  const { placingOrg, call, token, at } = await dialled(true)
  clock.forward(3 * hourMs)
  assert.equal((await anonymous.as(token).get(at)).status, 200)
  done(await placingOrg.client.post(`/v1/calls/${call}/verbs`, { verb: 'end' }))
  clock.forward(hourMs - 5 * secondMs)
  assert.equal((await anonymous.as(token).get(at)).body.ended, true)
  clock.forward(5 * secondMs)
  refused(await anonymous.as(token).get(at), 401, opensNothing)
})

test('one with a time of its own lives for that long from the dial (ND-52)', async () => {
  const { placingOrg, call, token, at } = await dialled({ ttl_s: 7200 })
  done(await placingOrg.client.post(`/v1/calls/${call}/verbs`, { verb: 'end' }))
  clock.forward(2 * hourMs - 5 * secondMs)
  assert.equal((await anonymous.as(token).get(at)).status, 200)
  clock.forward(5 * secondMs)
  refused(await anonymous.as(token).get(at), 401, opensNothing)
})

test('a stream that it opened ends with the call, or with the token (ND-52)', async () => {
  const { placingOrg, call, token, at } = await dialled(true)
  using reader = await EventReader.open(`${deployment.url}${at}?token=${token}`, {})
  await until('it is read', () => reader.types.includes('call.dialing'))
  done(await placingOrg.client.post(`/v1/calls/${call}/verbs`, { verb: 'end' }))
  await until('it is over', () => reader.isClosed)
  assert.ok(reader.types.includes('call.ended'))
  const short = await dialled({ ttl_s: 60 }, placingOrg)
  using cut = await EventReader.open(`${deployment.url}${short.at}?token=${short.token}`, {})
  await until('it is read', () => cut.types.includes('call.dialing'))
  clock.forward(minuteMs)
  await until('it is over', () => cut.isClosed)
  assert.ok(!cut.types.includes('call.ended'))
})

test('it is kept as its digest alone, is in no line of the gateway’s log, and is forgotten when it is over (ND-52)', async () => {
  const { token, at } = await dialled({ ttl_s: 60 })
  await anonymous.get(`${at}?token=${token}`)
  await anonymous.as(token).get(at)
  assert.ok(!deployment.log().includes(token.slice(3)))
  const kept = async () => (await sql('select log_tokens::text as row from log_tokens')).rows
  assert.ok((await kept()).every(({ row }) => !row.includes(token)))
  const count = (await kept()).length
  clock.forward(minuteMs)
  await deployment.gateway.services.housekeeping.run()
  assert.ok((await kept()).length < count)
  const { rowCount } = await sql(`select from log_tokens t join calls c on c.id = t.call
    where c.ended_at is null and t.expires_at is null`)
  assert.ok((rowCount ?? 0) > 0)
})
