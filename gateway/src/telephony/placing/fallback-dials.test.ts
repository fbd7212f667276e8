import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { DialResult } from '@switchroom/contract/dialling'
import type { Placement } from '@switchroom/contract/media-plane'
import { fleetKey, startDeployment } from '../../../testing/deployment.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { PlacingOrg } from '../../../testing/telephony/placing-fixture.ts'
import { until } from '../../../testing/until.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const other = await deployment.another()
const placingOrg = await PlacingOrg.open(deployment)
const fleet = other.anonymous.as(fleetKey).in('production')
for (const account of ['backup', 'third']) await placingOrg.account(account, `sip.${account}.example`)
const fallbacks = (accounts: string[]) =>
  placingOrg.client.put(`/v1/numbers/${placingOrg.from}/fallbacks`, { accounts })

/** A dial that a worker has taken, at another gateway. */
async function taken(): Promise<Placement> {
  const call = await placingOrg.dial(await placingOrg.known())
  return until('it is offered', async () => {
    const { body } = await fleet.post('/v1/worker/placements', { worker: 'w1', wait_s: 0 })
    return body.placement?.call === call && body.placement
  })
}

const tell = async (call: string, told: object) =>
  done(await fleet.post(`/v1/worker/placements/${call}`, { worker: 'w1', ...told }))

const rowsOf = async (call: string) =>
  ((await placingOrg.ledger()) as { call: string; result?: DialResult }[]).filter((row) => row.call === call)

const failed = { account: 'peer', sip_status: 503, why: 'the carrier is overloaded or out of service (503)' }

test('a worker gets the trunks of the fallback accounts in their order, with the same number to call from', async () => {
  done(await fallbacks(['third', 'backup']))
  const placement = await taken()
  const hostOf = ({ account, trunk }: { account?: string; trunk: { hostname: string } }) => [
    account,
    trunk.hostname,
  ]
  assert.deepEqual([placement, ...(placement.fallbacks ?? [])].map(hostOf), [
    ['peer', 'sip.peer.example'],
    ['third', 'sip.third.example'],
    ['backup', 'sip.backup.example'],
  ])
  assert.equal(placement.from, placingOrg.from)
  await tell(placement.call, { sip_status: 486 })
})

test('a dial over two accounts is one dial of the ledger, which says who carried it and why the first did not', async () => {
  done(await fallbacks(['backup']))
  const { call } = await taken()
  await tell(call, { outcome: 'answered', account: 'backup', failed_accounts: [failed] })
  await placingOrg.typesUpTo(call, 'call.started')
  const rows = await rowsOf(call)
  assert.equal(rows.length, 1)
  const carried = { account: 'backup', failed_accounts: [failed] }
  assert.deepEqual(rows[0]?.result, {
    outcome: 'answered',
    sip_status: null,
    sip_reason: null,
    why: null,
    ...carried,
  })
  const answered = (await placingOrg.entries(call)).find(({ type }) => type === 'call.answered')
  assert.deepEqual(answered?.data, carried)
})

test('a call that no account carried ends with the last failure and names those before', async () => {
  done(await fallbacks(['backup']))
  const { call } = await taken()
  const why = 'sip.backup.example takes no connections'
  await tell(call, { outcome: 'dial_failed', why, account: 'backup', failed_accounts: [failed] })
  assert.equal(await placingOrg.reason(call), 'dial_failed')
  const ended = (await placingOrg.entries(call)).at(-1)?.data
  assert.deepEqual(ended, {
    reason: 'dial_failed',
    why,
    account: 'backup',
    failed_accounts: [failed],
  })
})

test('accounts that are not the number’s are not written down, whatever a worker says', async () => {
  done(await fallbacks([]))
  const { call } = await taken()
  await tell(call, { sip_status: 404, account: 'invented', failed_accounts: [{ ...failed, account: 'x' }] })
  await placingOrg.reason(call)
  const [row] = await rowsOf(call)
  assert.deepEqual([row?.result?.account, row?.result?.failed_accounts], [null, []])
})

test('an account that cannot dial any more is passed over, and the ledger says so', async () => {
  done(await fallbacks(['backup', 'third']))
  await deployment.sql(`update carrier_accounts set forgotten_at = now() where org = $1 and account = $2`, [
    placingOrg.org.id,
    'backup',
  ])
  const { call, fallbacks: offered } = await taken()
  assert.deepEqual(
    offered?.map(({ account }) => account),
    ['third'],
  )
  await tell(call, { outcome: 'answered', account: 'third', failed_accounts: [failed] })
  await placingOrg.typesUpTo(call, 'call.started')
  const [row] = await rowsOf(call)
  const gone = { account: 'backup', sip_status: null, why: 'the account backup can no longer dial' }
  assert.deepEqual(row?.result?.failed_accounts, [failed, gone])
})
