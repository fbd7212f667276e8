import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { chatCall, registeredAgent } from '../testing/connected.ts'
import { until } from '../testing/until.ts'
import type { Call } from './call.ts'

async function startedCall(t: TestContext) {
  const { gateway, agent } = await registeredAgent(t)
  const errors: string[] = []
  agent.on('error', ({ detail }) => void errors.push(detail))
  const started = new Promise<Call>((resolve) => agent.on('call.started', resolve))
  gateway.event('call.started', { call: { ...chatCall, transport: 'phone' } })
  return { gateway, errors, call: await started }
}

const to = '+34911234568'

test('a transfer answers what happened to it, each in its order', async (t) => {
  const { gateway, call } = await startedCall(t)
  const outcomes = [call.transfer(to), call.transfer(to), call.transfer(to, { kind: 'cold' })]
  await until('they are sent', () => gateway.sent('call.transfer').length === 3)
  gateway.event('call.transferred', { to: '+34900000000', kind: 'warm', ok: true }) // somebody else's
  gateway.event('call.transferred', { to, kind: 'cold', ok: true })
  gateway.event('call.transferred', { to, kind: 'warm', ok: false, why: 'busy' })
  gateway.event('call.transferred', { to, kind: 'warm', ok: true })
  assert.deepEqual(await Promise.all(outcomes), [{ ok: false, why: 'busy' }, { ok: true }, { ok: true }])
})

test('a transfer that the gateway refuses answers its sentence, and is an error of the agent too', async (t) => {
  const { gateway, call, errors } = await startedCall(t)
  const [refused, other] = [call.transfer('nowhere'), call.transfer(to)]
  await until('it is sent', () => gateway.sent('call.transfer').length === 2)
  const [{ request }] = gateway.sent('call.transfer')
  const detail = 'to is a number'
  gateway.send({ type: 'error', agent: null, call: 'call_1', code: 'BAD_FRAME', detail, request })
  assert.deepEqual(await refused, { ok: false, why: detail })
  assert.deepEqual(errors, [detail])
  gateway.event('call.transferred', { to, kind: 'warm', ok: true })
  assert.deepEqual(await other, { ok: true })
})

test('the end of the call ends a transfer that nothing was heard of', async (t) => {
  const { gateway, call } = await startedCall(t)
  const outcome = call.transfer(to)
  gateway.event('call.ended', { reason: 'hangup' })
  assert.deepEqual(await outcome, { ok: false, why: 'the call has ended' })
  assert.deepEqual(await call.transfer(to), { ok: false, why: 'the call has ended' })
})
