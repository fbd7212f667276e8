import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fleetKey, startDeployment } from '../../../testing/deployment.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { grownSince, metricValues } from '../../../testing/http/metric-values.ts'
import { PlacingOrg } from '../../../testing/telephony/placing-fixture.ts'
import { until } from '../../../testing/until.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const other = await deployment.another()
const placingOrg = await PlacingOrg.open(deployment)
const fleet = other.anonymous.as(fleetKey).in('production')

/** A dial that a worker takes and reports on at another gateway. */
async function dialled(told: object): Promise<string> {
  const call = await placingOrg.dial(await placingOrg.known())
  await until('it is offered', async () => {
    const { body } = await fleet.post('/v1/worker/placements', { worker: 'w1', wait_s: 0 })
    return body.placement?.call === call
  })
  done(await fleet.post(`/v1/worker/placements/${call}`, { worker: 'w1', ...told }))
  return call
}

/** What a worker that names no account says of them. */
const unnamed = { account: null, failed_accounts: [] }

const resultOf = async (call: string) => {
  const rows = (await placingOrg.ledger()) as { call: string; result?: unknown }[]
  return rows.find((row) => row.call === call)?.result
}

test('a dial that is declined says so in its log and in the ledger, with the status and the reason of the far end (N-256, ND-59)', async () => {
  const call = await dialled({ sip_status: 603, sip_reason: 'Decline' })
  const why = 'declined (603 Decline)'
  assert.equal(await placingOrg.reason(call), 'busy')
  const entries = await placingOrg.entries(call)
  assert.deepEqual(entries.at(-1)?.data, { reason: 'busy', why, sip_status: 603, sip_reason: 'Decline' })
  assert.deepEqual(await resultOf(call), {
    outcome: 'busy',
    sip_status: 603,
    sip_reason: 'Decline',
    why,
    ...unnamed,
  })
})

test('a dial that fails says why in its log, in the error entry too, and in the ledger (N-258, ND-108)', async () => {
  const why = 'the certificate of sip.peer.example does not match'
  const call = await dialled({ outcome: 'dial_failed', why })
  assert.equal(await placingOrg.reason(call), 'dial_failed')
  const [error, ended] = (await placingOrg.entries(call)).slice(-2)
  assert.deepEqual(error, { ...error, type: 'error', data: { code: 'dial_failed', detail: why } })
  assert.deepEqual(ended?.data, { reason: 'dial_failed', why })
  assert.deepEqual(await resultOf(call), {
    outcome: 'dial_failed',
    sip_status: null,
    sip_reason: null,
    why,
    ...unnamed,
  })
  const unknown = await dialled({ sip_status: 404, sip_reason: 'No such number' })
  await placingOrg.reason(unknown)
  const notFound = 'the number was not found at the carrier (404 No such number)'
  const [failure] = (await placingOrg.entries(unknown)).slice(-2)
  assert.deepEqual(failure?.data, {
    code: 'dial_failed',
    detail: notFound,
    sip_status: 404,
    sip_reason: 'No such number',
  })
})

test('a worker of an earlier version that says no reason is understood', async () => {
  const call = await dialled({ outcome: 'no_answer' })
  assert.equal(await placingOrg.reason(call), 'no_answer')
  assert.deepEqual((await placingOrg.entries(call)).at(-1)?.data, { reason: 'no_answer' })
})

test('a result is written once and never changed, and an answered dial has one too (ND-48)', async () => {
  const call = await dialled({ outcome: 'answered' })
  await placingOrg.typesUpTo(call, 'call.started')
  assert.deepEqual(await resultOf(call), {
    outcome: 'answered',
    sip_status: null,
    sip_reason: null,
    why: null,
    ...unnamed,
  })
  await assert.rejects(deployment.sql(`update dial_results set why = 'another' where call = $1`, [call]))
  await assert.rejects(deployment.sql('delete from dial_results'))
})

test('each result of a dial is counted once, by one of the gateways', async () => {
  const counts = async () => {
    const pages = await Promise.all([deployment, other].map(({ metrics }) => metrics.get('/metrics')))
    const values = pages.map(({ text }) => metricValues(text, 'switchroom_dial_results_total'))
    return Object.fromEntries(
      Object.keys(values[0] ?? {}).map((labels) => [
        labels,
        values.reduce((sum, at) => sum + (at[labels] ?? 0), 0),
      ]),
    )
  }
  const before = await counts()
  const call = await dialled({ sip_status: 486, sip_reason: 'Busy Here' })
  assert.equal(await placingOrg.reason(call), 'busy')
  await until('it is counted', async () => {
    const grown = grownSince(before, await counts())
    return grown['env=production,result=busy'] === 1 && Object.keys(grown).length === 1
  })
})
