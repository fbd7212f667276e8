import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { AppClient } from '../../../testing/agents/app-client.ts'
import { refused } from '../../../testing/client.ts'
import { noLimit } from '../../../testing/deployment.ts'
import { PlacingOrg, startPlacing } from '../../../testing/telephony/placing-fixture.ts'
import { newNumber } from '../../../testing/calls/spoken-calls.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'

const { media, deployment } = await startPlacing()
after(() => media.stop())
after(() => deployment[Symbol.asyncDispose]())
const { sql } = deployment
beforeEach(() => media.dials.go('answer'))

/** The dial of a call at the media server, once it is there. */
const dialOf = (call: string) =>
  until('the media server is asked', () =>
    media.asked('CreateSIPParticipant').find(({ body }) => body['roomName'] === `call-${call}`),
  )
const heldDial = (call: string) =>
  until('it rings', () => media.dials.held.find(({ body }) => body['roomName'] === `call-${call}`))

test('a dial is answered with the call before anything rings (N-231, N-232, N-233, T-24, ND-59)', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  media.dials.go('hold')
  const to = await placingOrg.known()
  const answer = await placingOrg.ask(to, { from: placingOrg.from, log: false })
  assert.equal(answer.status, 202, answer.text)
  const { call } = answer.body
  assert.match(call, /^call_[0-9a-f]{24}$/)
  const { from, env } = placingOrg
  assert.deepEqual(answer.body, { call, agent: 'desk', to, from, env, log_token: null })
  const dial = await heldDial(call)
  const [dialing, ...more] = await placingOrg.entries(call)
  assert.deepEqual([dialing?.type, dialing?.data, more], ['call.dialing', { to, from }, []])
  const { rows } = await sql(
    'select channel, direction, caller, called, contact, state from calls where id = $1',
    [call],
  )
  const head = {
    channel: 'phone',
    direction: 'outbound',
    caller: from,
    called: to,
    contact: to,
    state: 'open',
  }
  assert.deepEqual(rows, [head])
  dial.refuse(486)
  assert.equal(await placingOrg.reason(call), 'busy')
})

test('a dial carries metadata to the agent, in bounds', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  const to = await placingOrg.known()
  const metadata = { name: 'Ana', order: { id: 42 }, odd: 'a\ud800' }
  const answer = await placingOrg.ask(to, { metadata })
  assert.equal(answer.status, 202, answer.text)
  const { rows } = await sql('select metadata from calls where id = $1', [answer.body.call])
  assert.deepEqual(rows, [{ metadata: { ...metadata, odd: 'a\ufffd' } }])
  refused(
    await placingOrg.ask(to, { metadata: { long: 'x'.repeat(4096) } }),
    400,
    'metadata is at most 4096 bytes of JSON',
  )
  let deep: object = {}
  for (let level = 0; level < 100; level += 1) deep = { deep }
  assert.equal((await placingOrg.ask(await placingOrg.known(), { metadata: deep })).status, 202)
  for (const wrong of ['x', 1, ['a'], null])
    assert.equal((await placingOrg.ask(to, { metadata: wrong })).status, 422)
})

test('the fleet is sent to the room before the far end is dialled through the number’s own account (N-248, T-21, ND-59)', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  const second = newNumber()
  await placingOrg.account('second', 'sip.second.example')
  await placingOrg.number(second, 'second')
  for (const [from, host, account] of [
    [placingOrg.from, 'sip.peer.example', 'peer'],
    [second, 'sip.second.example', 'second'],
  ] as const) {
    const to = await placingOrg.known()
    const call = await placingOrg.dial(to, { from })
    const { body } = await dialOf(call)
    const { hostname, authUsername, authPassword } = body['trunk'] as Record<string, string>
    assert.deepEqual([hostname, authUsername, authPassword], [host, account, `secret of ${account}`])
    assert.deepEqual([body['sipCallTo'], body['sipNumber']], [to, from])
    assert.deepEqual([body['waitUntilAnswered'], body['ringingTimeout']], [true, '60s'])
    const dispatch = media.asked('CreateDispatch').find((asked) => asked.body['room'] === `call-${call}`)
    assert.equal(dispatch?.body['agentName'], 'production')
    const metadata = { call, org: placingOrg.org.id, agent: 'desk', env: 'production', max_duration_s: 600 }
    assert.deepEqual(JSON.parse(String(dispatch?.body['metadata'])), metadata)
  }
})

test('without `from` it is dialled from the agent’s first number (N-247)', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  await placingOrg.number(newNumber(), 'peer')
  assert.equal(done(await placingOrg.ask(await placingOrg.known())).from, placingOrg.from)
})

test('a dial that a guard refuses rings nothing (N-246, N-249, N-250, N-251, N-515)', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  const [hooked, bought] = [newNumber(), newNumber()]
  await placingOrg.number(hooked, null, 'hooked')
  await placingOrg.number(bought, null, 'bought')
  const to = await placingOrg.known()
  refused(await placingOrg.ask(to, { from: newNumber() }), 409, /is no phone number of desk in production/)
  refused(await placingOrg.ask(to, { from: hooked }), 409, /dials through no account/)
  refused(await placingOrg.ask(to, { from: bought }), 409, /was bought by the platform/)
  await placingOrg.app.close()
  await until('no app holds it', async () => {
    const { agents } = done(await placingOrg.client.get('/v1/agents'))
    return agents.every(({ held }: { held: boolean }) => !held)
  })
  refused(await placingOrg.ask(to), 409, /^no app holds desk in production: connect one/)
  const asked = media.requests.map((request) => JSON.stringify(request))
  assert.deepEqual(
    asked.filter((request) => request.includes(to) || request.includes(placingOrg.org.id)),
    [],
  )
  const { rowCount } = await sql('select from calls where org = $1', [placingOrg.org.id])
  assert.equal(rowCount, 0)
})

test('a call whose far end answers has started, and its app gets the Call (ND-59, ND-107)', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  const to = await placingOrg.known()
  const call = await placingOrg.dial(to)
  assert.deepEqual(await placingOrg.typesUpTo(call, 'call.started'), [
    'call.dialing',
    'call.answered',
    'call.started',
  ])
  const { data } = await placingOrg.app.nextOf('call.started')
  assert.deepEqual(
    [data.call.id, data.call.direction, data.call.from, data.call.to, data.call.transport],
    [call, 'outbound', placingOrg.from, to, 'phone'],
  )
})

test('what the far end says ends the call as busy, not answered or failed (N-255, N-256, N-257, N-258, ND-59)', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  for (const [how, reason] of [
    [486, 'busy'],
    [603, 'busy'],
    ['ring out', 'no_answer'],
    [480, 'no_answer'],
    [503, 'dial_failed'],
  ] as const) {
    media.dials.go(how)
    const call = await placingOrg.dial(await placingOrg.known())
    assert.equal(await placingOrg.reason(call), reason)
    const types = (await placingOrg.entries(call)).map(({ type }) => type)
    const failed = reason === 'dial_failed' ? ['error'] : []
    assert.deepEqual(types, ['call.dialing', ...failed, 'call.ended'])
    const state = done(await placingOrg.client.get(`/v1/calls/${call}/state`))
    assert.deepEqual([state.state, state.reason], ['ended', reason])
  }
})

test('that it could not be placed is for agents that the call failed (T-25, ND-61)', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  media.dials.go(503)
  const call = await placingOrg.dial(await placingOrg.known())
  assert.equal(await placingOrg.reason(call), 'dial_failed')
  const { data } = await placingOrg.app.nextOf('call.ended')
  assert.deepEqual([data.reason, data.call.reason], ['failed', 'failed'])
})

test('a media server that does not answer ends the call dial_failed, and its error says why (N-258, ND-108)', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  media.refuse('CreateDispatch', 'internal', 'no workers in this world')
  const call = await placingOrg.dial(await placingOrg.known())
  assert.equal(await placingOrg.reason(call), 'dial_failed')
  const error = (await placingOrg.entries(call)).find(({ type }) => type === 'error')
  assert.equal(error?.data['code'], 'dial_failed')
})

test('the secret of the account goes to the media plane, and is in no answer, log or entry (T-30)', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  media.refuse('CreateSIPParticipant', 'internal', 'no route with secret of peer')
  const answer = await placingOrg.ask(await placingOrg.known())
  assert.equal(await placingOrg.reason(answer.body.call), 'dial_failed')
  const told = [answer.text, deployment.log(), JSON.stringify(await placingOrg.entries(answer.body.call))]
  for (const text of told) assert.ok(!text.includes('secret of peer'))
})

test('a placed call runs 600 seconds at most, which the media plane holds it to; an agent’s own may be shorter (N-259, N-260, N-526, T-26, ND-60)', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  const admin = (await placingOrg.org.person('admin')).client.in('production')
  const longest = async () => {
    const call = await placingOrg.dial(await placingOrg.known())
    return (await dialOf(call)).body['maxCallDuration']
  }
  assert.equal(await longest(), '600s')
  for (const [own, held, version] of [
    [0, '600s', 0],
    [120, '120s', 1],
    [900, '600s', 2],
  ] as const) {
    const config = { max_duration_s: own }
    done(await admin.put('/v1/agents/desk/settings', { config, if_version: version }))
    assert.equal(await longest(), held)
  }
})

test('a body that is not of its shape is 422, without a row (ND-47, ND-51, ND-52)', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  const to = await placingOrg.known()
  const consent = { kind: 'express', source: 'form' }
  for (const [more, sentence] of [
    [{ to: undefined }, 'to: is required'],
    [{ from: 5 }, 'from: must be a string'],
    [{ consent: 'yes' }, 'consent: must be an object'],
    [{ consent: { ...consent, kind: 'oral' } }, 'consent.kind: must be one of express, written'],
    [{ consent: { ...consent, source: ' ' } }, 'consent.source: is blank'],
    [{ consent: { kind: 'express' } }, 'consent.source: is required'],
    [{ log: 'yes' }, 'log: must be true or false or an object'],
    [{ log: null }, 'log: must be true or false or an object'],
    [{ log: { ttl: 60 } }, 'log.ttl: is nothing that log takes'],
    [{ log: { ttl_s: '60' } }, 'log.ttl_s: must be a whole number'],
  ] as const)
    refused(await placingOrg.ask(to, more), 422, sentence)
  for (const ttl_s of [59, 86_401])
    refused(await placingOrg.ask(to, { log: { ttl_s } }), 400, 'log.ttl_s is 60 to 86400 seconds')
  assert.deepEqual(await placingOrg.ledger(), [])
})

test('the dial needs `talk`, and a person who works on some agents only dials for those (N-399, ND-07)', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  const to = await placingOrg.known()
  const reader = (await placingOrg.org.serverToken('production', { scopes: ['calls'] })).client
  refused(await placingOrg.ask(to, {}, reader), 403, 'this key does not open talk: it opens calls')
  const ana = await placingOrg.org.person('supervisor', { agents: ['sales'], production: true })
  refused(await placingOrg.ask(to, {}, ana.client.in('production')), 403, 'this key works on sales alone')
  assert.deepEqual(await placingOrg.ledger(), [])
})

test('a call past the quota is not opened, nothing is kept of it but its row (N-048)', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  media.dials.go('hold')
  const quotas = { ...noLimit, concurrent_calls: 1 }
  done(await deployment.operator.put(`/v1/ops/orgs/${placingOrg.org.slug}/quotas`, quotas))
  await placingOrg.dial(await placingOrg.known())
  const to = await placingOrg.known()
  const consent = { kind: 'express', source: 'form' }
  refused(await placingOrg.ask(to, { consent }), 429, /runs 1 of its 1 calls at once/)
  const { rows } = done(await placingOrg.client.get(`/v1/org/consents/${to}`))
  const [row] = await placingOrg.ledger()
  assert.deepEqual([rows, row?.to, row?.outcome], [[], to, 'refused'])
})

test('a dial past the quota of minutes is refused before it rings', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  const { slug } = placingOrg.org
  done(await deployment.operator.put(`/v1/ops/orgs/${slug}/quotas`, { ...noLimit, minutes: 0 }))
  const past = `org ${slug} has used its 0 minutes of calls of this month (UTC): wait for the next month, or ask the operator for more`
  refused(await placingOrg.ask(await placingOrg.known()), 429, past)
  const [row] = await placingOrg.ledger()
  assert.equal(row?.outcome, 'refused')
})

test('a person’s call in the sandbox is of their own copy of the agent', async () => {
  const placingOrg = await PlacingOrg.open(deployment, 'sandbox')
  const ana = await placingOrg.org.person('developer')
  const own = await AppClient.connect(deployment.url, ana.key)
  await own.register('desk')
  const { call } = done(await placingOrg.ask(await placingOrg.known(), {}, ana.client))
  const { data } = await own.nextOf('call.started')
  assert.equal(data.call.id, call)
  await own.close()
})

test('no registry is asked at a dial (N-314)', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  const { fetch } = globalThis
  const asked: string[] = []
  globalThis.fetch = (input, init) => {
    asked.push(new URL(input instanceof Request ? input.url : input).origin)
    return fetch(input, init)
  }
  try {
    const call = await placingOrg.dial(await placingOrg.known())
    await placingOrg.typesUpTo(call, 'call.started')
  } finally {
    globalThis.fetch = fetch
  }
  assert.deepEqual(new Set(asked), new Set([deployment.url, media.address.url]))
})
