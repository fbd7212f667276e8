import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { newCalled, PlacingOrg, startPlacing } from '../../../testing/telephony/placing-fixture.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'

const { media, deployment } = await startPlacing()
after(() => media.stop())
after(() => deployment[Symbol.asyncDispose]())
beforeEach(() => media.dials.go('answer'))

const heldDial = (call: string) =>
  until('it rings', () => media.dials.held.find(({ body }) => body['roomName'] === `call-${call}`))

test('a consent sent with the dial is on file with the call before anything rings (N-252, N-253, N-254, T-07)', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  media.dials.go('hold')
  const to = await placingOrg.known()
  const consent = { kind: 'written', source: 'form 7', text: 'call me', evidence: { page: 1 } }
  const call = await placingOrg.dial(to, { consent })
  await heldDial(call)
  const { standing, rows } = done(await placingOrg.client.get(`/v1/org/consents/${to}`))
  const { kind, source, text, evidence, by, call: on } = rows[0]
  assert.deepEqual([standing, rows.length, by, on], ['consented', 1, 'ci', call])
  assert.deepEqual({ kind, source, text, evidence }, consent)
})

test('a consent sent with a dial lifts no opt-out, and a refused dial writes none (T-05, T-06, N-274, ND-51)', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  const to = await placingOrg.known()
  const consent = { kind: 'express', source: 'phone' }
  done(await placingOrg.client.delete(`/v1/org/consents/${to}`))
  const sentence = `${to} is on the do-not-call list: only a consent that is recorded at POST /v1/org/consents takes it off`
  refused(await placingOrg.ask(to, { consent }), 403, sentence)
  refused(await placingOrg.ask(to), 403, sentence)
  const facts = async (number: string) => done(await placingOrg.client.get(`/v1/org/consents/${number}`))
  const stands = await facts(to)
  assert.deepEqual([stands.standing, stands.rows.length], ['opted_out', 1])
  const stranger = newCalled()
  refused(await placingOrg.ask(stranger, { consent }), 403, /dial_anywhere$/)
  const tollFree = await placingOrg.known('+18005550123')
  refused(await placingOrg.ask(tollFree, { consent }), 403, /^quiet_hours: /)
  refused(await placingOrg.ask(tollFree), 403, /^no_consent: /)
  const other = await placingOrg.known()
  await placingOrg.ask('+12')
  refused(await placingOrg.ask(other, { consent }), 429, /^per_minute: /)
  for (const number of [stranger, tollFree, other]) assert.deepEqual((await facts(number)).rows, [])
})

test('a consent recorded after an opt-out makes the number callable again (N-102, N-275)', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  const to = await placingOrg.known()
  done(await placingOrg.client.delete(`/v1/org/consents/${to}`))
  refused(await placingOrg.ask(to), 403, /do-not-call/)
  done(await placingOrg.client.post('/v1/org/consents', { number: to, kind: 'express', source: 'call' }))
  assert.equal((await placingOrg.ask(to)).status, 202)
})

test('in the sandbox a sent consent is written too (ND-51)', async () => {
  const placingOrg = await PlacingOrg.open(deployment, 'sandbox')
  const to = await placingOrg.known()
  done(await placingOrg.client.delete(`/v1/org/consents/${to}`))
  const call = await placingOrg.dial(to, { consent: { kind: 'express', source: 'test' } })
  const { standing, rows } = done(await placingOrg.client.get(`/v1/org/consents/${to}`))
  assert.deepEqual([standing, rows[0].call], ['consented', call])
})
