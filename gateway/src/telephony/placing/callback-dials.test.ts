import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { PlacingOrg, startPlacing } from '../../../testing/telephony/placing-fixture.ts'
import { newNumber, SpokenAgent } from '../../../testing/calls/spoken-calls.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'

const { media, deployment } = await startPlacing()
after(() => media.stop())
after(() => deployment[Symbol.asyncDispose]())

/** A caller asks to be called back. */
async function askedBack(from: string) {
  const placingOrg = await PlacingOrg.open(deployment)
  const agent = new SpokenAgent(deployment, placingOrg.org, 'desk', placingOrg.from)
  const call = await agent.open({ from })
  placingOrg.app.send({ type: 'call.callback', call, number: from, when: 'tomorrow' })
  const callbacks = async () => done(await placingOrg.client.get('/v1/callbacks')).callbacks
  await until('the callback is listed', async () => (await callbacks()).length === 1)
  return { placingOrg, agent, call, callbacks }
}
const noConsent = (number: string) =>
  `no_consent: ${number} has no consent on file, and none was sent with the dial`
const onList = (number: string) =>
  `${number} is on the do-not-call list: only a consent that is recorded at POST /v1/org/consents takes it off`

test('asking for a callback dials nothing (N-370)', async () => {
  const { placingOrg } = await askedBack('+34600222333')
  assert.deepEqual(await placingOrg.ledger(), [])
  assert.deepEqual(
    media.asked('CreateSIPParticipant').filter(({ body }) => body['sipCallTo'] === '+34600222333'),
    [],
  )
})

test('placing the call back is a dial as any other, and marks nothing (N-380)', async () => {
  const { placingOrg, callbacks } = await askedBack('+34600222334')
  const [{ agent, data }] = await callbacks()
  const answer = await placingOrg.client.post(`/v1/agents/${agent}/dial`, { to: data.number })
  assert.equal(answer.status, 202, answer.text)
  assert.equal(answer.body.to, '+34600222334')
  assert.equal((await callbacks()).length, 1)
})

test('neither a call in nor a wish to be called back is a consent, or lifts an opt-out (T-27)', async () => {
  const number = newNumber()
  const { placingOrg, agent } = await askedBack(number)
  refused(await placingOrg.ask(number), 403, noConsent(number))
  assert.equal(done(await placingOrg.client.get(`/v1/org/consents/${number}`)).standing, 'unknown')
  done(await placingOrg.client.delete(`/v1/org/consents/${number}`))
  const again = await agent.open({ from: number })
  placingOrg.app.send({ type: 'call.callback', call: again, number })
  await placingOrg.typesUpTo(again, 'callback.requested')
  refused(await placingOrg.ask(number), 403, onList(number))
})

test('a callback is dialled under every rule: outbound, a number, the list, consent, the hours (N-381)', async () => {
  const number = '+18005550177' // toll-free: no hour is one to ring it
  const { placingOrg } = await askedBack(number)
  const { sql } = deployment
  await sql('update numbers set account = null where org = $1', [placingOrg.org.id])
  refused(await placingOrg.ask(number), 409, /^\+\d+ lives in no account of the org: /)
  await sql(`update numbers set agent = 'sales' where org = $1`, [placingOrg.org.id])
  refused(
    await placingOrg.ask(number),
    409,
    'no phone number is routed to desk in production: it can dial from no number yet',
  )
  await sql(`update numbers set agent = 'desk', account = 'peer' where org = $1`, [placingOrg.org.id])
  refused(await placingOrg.ask(number), 403, noConsent(number))
  done(await placingOrg.client.delete(`/v1/org/consents/${number}`))
  refused(await placingOrg.ask(number), 403, onList(number))
  done(await placingOrg.client.post('/v1/org/consents', { number, kind: 'express', source: 'call' }))
  refused(await placingOrg.ask(number), 403, /^quiet_hours: /)
})

test('a number that was put on the list on a call, by a person or by an import is not dialled (N-310, ND-68)', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  const agent = new SpokenAgent(deployment, placingOrg.org, 'desk', placingOrg.from)
  const [told, put, imported] = [await placingOrg.known(), await placingOrg.known(), await placingOrg.known()]
  const call = await agent.open({ from: told })
  done(await agent.append(call, [{ type: 'call.opt_out', data: {} }]))
  done(await placingOrg.client.delete(`/v1/org/consents/${put}`))
  done(await placingOrg.client.post('/v1/org/dnc', { numbers: [imported], source: 'scrub' }))
  for (const number of [told, put, imported]) refused(await placingOrg.ask(number), 403, onList(number))
})

test('a person who was forgotten is a stranger again, and one who opted out stays on the list (T-107, N-313, ND-53)', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  const agent = new SpokenAgent(deployment, placingOrg.org, 'desk', placingOrg.from)
  const manager = (await placingOrg.org.person('manager', { production: true })).client
  const number = await placingOrg.known()
  const call = await agent.open({ from: number })
  done(await agent.append(call, [{ type: 'call.opt_out', data: {} }]))
  assert.equal((await manager.delete(`/v1/contacts/${number}`)).status, 204)
  refused(await placingOrg.ask(number), 403, /dial_anywhere$/)
  done(await deployment.operator.put(`/v1/ops/orgs/${placingOrg.org.slug}/dialling`, { dial_anywhere: true }))
  refused(await placingOrg.ask(number), 403, onList(number))
})

test('a contact that an org called and then erased is in none of its calls any more', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  const manager = (await placingOrg.org.person('manager', { production: true })).client
  const to = await placingOrg.known()
  media.dials.go('hold')
  const call = await placingOrg.dial(to)
  assert.equal((await manager.delete(`/v1/contacts/${to}`)).status, 204)
  media.dials.go('answer')
  const { state, reason, to: called, contact } = done(await placingOrg.client.get(`/v1/calls/${call}/state`))
  assert.deepEqual([state, reason, called, contact], ['ended', 'hangup', null, null])
  await until('it is hung up', () =>
    media.asked('DeleteRoom').some(({ body }) => body['room'] === `call-${call}`),
  )
})
