import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { ChatClient } from '../../../testing/calls/chat-client.ts'
import { refused, type Client } from '../../../testing/client.ts'
import { newCalled, PlacingOrg, startPlacing } from '../../../testing/telephony/placing-fixture.ts'
import { newNumber, SpokenAgent } from '../../../testing/calls/spoken-calls.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'

const { media, deployment } = await startPlacing()
after(() => media.stop())
after(() => deployment[Symbol.asyncDispose]())
beforeEach(() => media.dials.go('hold'))

const secret = {
  hostname: 'sip.peer.example',
  transport: 'udp',
  auth_username: 'peer',
  auth_password: 'secret of peer',
}

/** An org with a caller on the line. */
async function talking() {
  const placingOrg = await PlacingOrg.open(deployment)
  const agent = new SpokenAgent(deployment, placingOrg.org, 'desk', placingOrg.from)
  return { placingOrg, call: await agent.open({ from: newNumber() }) }
}
const query = (asked: Record<string, string>) => new URLSearchParams(asked).toString()
const trunkFor = (client: Client, asked: Record<string, string>) =>
  client.get(`/v1/agents/desk/outbound-trunk?${query(asked)}`)
const transfer = (client: Client, asked: Record<string, string>) =>
  client.post(`/v1/agents/desk/cold-transfer?${query(asked)}`)

test('a worker is given the trunk for a leg into a live call, and the leg is a row (N-235, N-236, N-239, ND-63)', async () => {
  const { placingOrg, call } = await talking()
  const to = newCalled()
  const answer = await trunkFor(placingOrg.fleet, { to, call })
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(answer.body, { trunk: secret, from: placingOrg.from, to, call, max_duration_s: 600 })
  const [row, ...more] = await placingOrg.ledger()
  assert.deepEqual([row?.kind, row?.to, row?.call, row?.outcome, more], ['leg', to, call, 'taken', []])
})

test('a leg is dialled from the number that is said, through its account (ND-63, T-21)', async () => {
  const { placingOrg, call } = await talking()
  const second = newNumber()
  await placingOrg.account('second', 'sip.second.example')
  await placingOrg.number(second, 'second')
  const { trunk, from } = done(await trunkFor(placingOrg.fleet, { to: newCalled(), call, from: second }))
  assert.deepEqual([trunk.hostname, from], ['sip.second.example', second])
  refused(
    await trunkFor(placingOrg.fleet, { to: newCalled(), call, from: newNumber() }),
    409,
    /is no phone number of desk/,
  )
})

test('a leg may go out through the fallback accounts of its number, and names the caller if a carrier wants to know who is forwarded', async () => {
  const { placingOrg, call } = await talking()
  const { client, fleet, from } = placingOrg
  await placingOrg.account('backup', 'sip.backup.example')
  done(await client.put(`/v1/numbers/${from}/fallbacks`, { accounts: ['backup'] }))
  const plain = done(await trunkFor(fleet, { to: newCalled(), call }))
  assert.deepEqual(
    plain.fallbacks.map(({ account, trunk }: { account: string; trunk: { hostname: string } }) => [
      account,
      trunk.hostname,
    ]),
    [['backup', 'sip.backup.example']],
  )
  assert.equal(plain.caller, undefined)
  done(await client.put('/v1/carrier', { username: 'backup', identity: 'diversion' }))
  const { rows } = await deployment.sql('select caller from calls where id = $1', [call])
  assert.equal(done(await trunkFor(fleet, { to: newCalled(), call })).caller, rows[0].caller)
  const desk = new SpokenAgent(deployment, placingOrg.org, 'desk', from)
  const withheld = await desk.open({ from: 'anonymous' })
  assert.equal(done(await trunkFor(fleet, { to: newCalled(), call: withheld })).caller, undefined)
})

test('a leg is held to shape and pace, and to nothing of the list, consent or hours (N-237, N-238, T-22)', async () => {
  const { placingOrg, call } = await talking()
  const shape = '+8811234567 cannot be dialled: +881 is a satellite or global-service range'
  refused(await trunkFor(placingOrg.fleet, { to: '+8811234567', call }), 400, shape)
  const listed = newCalled()
  done(await placingOrg.client.delete(`/v1/org/consents/${listed}`))
  for (const to of [listed, '+18005550123', newCalled(), newCalled(), newCalled()])
    done(await trunkFor(placingOrg.fleet, { to, call }))
  refused(await trunkFor(placingOrg.fleet, { to: newCalled(), call }), 429, /^per_minute: /)
  refused(await placingOrg.ask(await placingOrg.known()), 429, /^per_minute: /)
})

test('the first leg of a dialled call was judged: its trunk is answered with no second row (ND-63)', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  const to = await placingOrg.known()
  const call = await placingOrg.dial(to)
  const asked = { to, call, from: newNumber() }
  const answer = done(await trunkFor(placingOrg.fleet, asked))
  assert.deepEqual(answer, { trunk: secret, from: placingOrg.from, to, call, max_duration_s: 600 })
  assert.equal((await placingOrg.ledger()).length, 1)
  done(await trunkFor(placingOrg.fleet, { to: newCalled(), call }))
  assert.equal((await placingOrg.ledger()).length, 2)
  const dial = await until('it rings', () =>
    media.dials.held.find(({ body }) => body['roomName'] === `call-${call}`),
  )
  dial.answer()
  await placingOrg.typesUpTo(call, 'call.started')
  done(await trunkFor(placingOrg.fleet, { to, call }))
  assert.equal((await placingOrg.ledger()).length, 3)
})

test('an unescaped plus is one (T-19, ND-05)', async () => {
  const { placingOrg, call } = await talking()
  const to = newCalled()
  const at = (path: string) => `/v1/agents/desk/${path}?call=${call}&to=${to}`
  assert.equal(done(await placingOrg.fleet.get(at('outbound-trunk'))).to, to)
  assert.deepEqual(done(await placingOrg.client.post(at('cold-transfer'))), { call, to })
  assert.equal(done(await trunkFor(placingOrg.fleet, { to, call })).to, to)
  const from = await placingOrg.fleet.get(`${at('outbound-trunk')}&from=${placingOrg.from}`)
  assert.equal(done(from).from, placingOrg.from)
})

test('a member who changes only the host of a trunk is not sent its old password (ND-63)', async () => {
  const { placingOrg, call } = await talking()
  const member = (await placingOrg.org.person('admin', { production: true })).client.in('production')
  const sentence = 'password: send it again: it was given for another address, port, transport or CA'
  refused(await member.put('/v1/carrier', { username: 'peer', outbound_host: 'evil.example' }), 400, sentence)
  assert.deepEqual(done(await trunkFor(placingOrg.fleet, { to: newCalled(), call })).trunk, secret)
})

test('the call is a live one of that agent (ND-63)', async () => {
  const { placingOrg, call } = await talking()
  const other = await talking()
  const to = newCalled()
  const unknown = (id: string) => `there is no call ${id} of desk`
  for (const id of ['nosuch', other.call]) {
    refused(await trunkFor(placingOrg.client, { to, call: id }), 404, unknown(id))
    refused(await transfer(placingOrg.client, { to, call: id }), 404, unknown(id))
  }
  const elsewhere = await placingOrg.fleet.get(`/v1/agents/sales/outbound-trunk?${query({ to, call })}`)
  refused(elsewhere, 404, `there is no call ${call} of sales`)
  refused(await trunkFor(placingOrg.fleet, { to, call: 'nosuch' }), 404, 'there is no call nosuch')
  done(await placingOrg.client.post(`/v1/calls/${call}/verbs`, { verb: 'end' }))
  refused(await trunkFor(placingOrg.fleet, { to, call }), 409, 'this call has ended')
  refused(await transfer(placingOrg.client, { to, call }), 409, 'this call has ended')
  refused(await trunkFor(placingOrg.client, { to }), 422, 'call: is required')
  assert.deepEqual(await placingOrg.ledger(), [])
})

test('both are the worker’s: a key that opens app, or the fleet’s for any org (N-234, N-240, N-400, ND-62)', async () => {
  const { placingOrg, call } = await talking()
  const to = newCalled()
  const supervisor = (await placingOrg.org.person('supervisor', { production: true })).client.in('production')
  const sentence = 'this key does not open app: it opens calls · talk · words · evals'
  refused(await trunkFor(supervisor, { to, call }), 403, sentence)
  refused(await transfer(supervisor, { to, call }), 403, sentence)
  const sandbox = (await placingOrg.org.serverToken('sandbox')).client
  refused(await trunkFor(sandbox, { to, call }), 404, `there is no call ${call} of desk`)
  assert.equal(done(await trunkFor(placingOrg.fleet, { to, call })).call, call)
  assert.deepEqual(done(await transfer(placingOrg.fleet, { to, call })), { call, to })
})

test('the password of a trunk is answered only to the key that runs that spoken call (ND-63)', async () => {
  const { placingOrg, call } = await talking()
  const to = newCalled()
  const sentence = (id: string) =>
    `the trunk is answered only to the worker that runs the spoken call ${id}: ask with the key that opened it`
  const developer = (await placingOrg.org.person('developer', { production: true })).client.in('production')
  const { client: token } = await placingOrg.org.serverToken('production')
  for (const thief of [developer, token, placingOrg.client])
    refused(await trunkFor(thief, { to, call }), 403, sentence(call))

  const own = done(await token.post('/v1/worker/calls', { number: placingOrg.from, from: newNumber() })).call
  for (const thief of [developer, placingOrg.client, placingOrg.fleet])
    refused(await trunkFor(thief, { to, call: own }), 403, sentence(own))

  const dialled = await placingOrg.dial(await placingOrg.known(to))
  for (const thief of [developer, token, placingOrg.client])
    refused(await trunkFor(thief, { to, call: dialled }), 403, sentence(dialled))

  const chat = await ChatClient.connect(deployment.url, placingOrg.key, { agent: 'desk' })
  const written = (await chat.next('started')).call
  for (const thief of [developer, token, placingOrg.fleet])
    refused(await trunkFor(thief, { to, call: written }), 403, sentence(written))
  assert.deepEqual(
    (await placingOrg.ledger()).map(({ kind }) => kind),
    ['dial'],
  )
  assert.deepEqual(done(await trunkFor(token, { to, call: own })).trunk, secret)
})

test('a caller may be sent on: a row before, no trunk, no secret (N-242, N-243, ND-64)', async () => {
  const { placingOrg, call } = await talking()
  const to = newCalled()
  const answer = await transfer(placingOrg.client, { to, call })
  assert.deepEqual([answer.status, answer.body], [200, { call, to }])
  const [row] = await placingOrg.ledger()
  assert.deepEqual([row?.kind, row?.to, row?.call, row?.outcome], ['transfer', to, call, 'taken'])
  assert.equal(
    (await placingOrg.entries(call)).some(({ type }) => type === 'call.transferred'),
    false,
  )
})

test('a caller who may not be sent on stays where they are, and the log says why (N-241, N-244, N-245, T-23, ND-64)', async () => {
  const { placingOrg, call } = await talking()
  const to = '+8811234567'
  const why = '+8811234567 cannot be dialled: +881 is a satellite or global-service range'
  refused(await transfer(placingOrg.client, { to, call }), 400, why)
  for (let n = 0; n < 5; n += 1) done(await transfer(placingOrg.client, { to: newCalled(), call }))
  const late = newCalled()
  const paced = await transfer(placingOrg.client, { to: late, call })
  refused(paced, 429, /^per_minute: /)
  const entries = (await placingOrg.entries(call)).filter(({ type }) => type === 'call.transferred')
  assert.deepEqual(
    entries.map(({ data }) => data),
    [
      { to, kind: 'cold', ok: false, why },
      { to: late, kind: 'cold', ok: false, why: paced.body.detail },
    ],
  )
  const said = { type: 'user.message', data: { text: 'still here', messageId: 'm1' } }
  done(await placingOrg.fleet.post(`/v1/calls/${call}/events`, { entries: [said] }))
  assert.equal(done(await placingOrg.client.get(`/v1/calls/${call}/state`)).state, 'open')
  const told = { type: 'call.transferred', data: { to: late, kind: 'cold', ok: true } }
  done(await placingOrg.fleet.post(`/v1/calls/${call}/events`, { entries: [told] }))
})
