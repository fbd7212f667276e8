import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startDeployment } from '../../../testing/deployment.ts'
import { DialOrg, newCalled } from '../../../testing/telephony/dial-fixture.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { sql } = deployment
const { fromNumbers } = deployment.gateway.services

async function withNumber(dialOrg: DialOrg, more: { account?: string; origin?: string; env?: string }) {
  const number = newCalled()
  await dialOrg.number(number, more)
  return number
}

test('a number can be dialled from through the account it lives in, once that can be dialled through (N-248, N-249, N-250, N-515, ND-50)', async () => {
  const dialOrg = await DialOrg.open(deployment)
  const { id: org } = dialOrg.org
  await dialOrg.account('deaf')
  await dialOrg.account('gone', { dialsAt: 'sip.gone.example' })
  await dialOrg.account('AC1', { kind: 'apicarrier' })
  await dialOrg.account('AC2', { kind: 'apicarrier' })
  await dialOrg.account('AC3', { kind: 'apicarrier' })
  await sql(`update carrier_accounts set forgotten_at = now() where org = $1 and account = 'gone'`, [org])
  await sql(
    `insert into outbound_credentials (org, account, host, username, password, provisioned_at)
     values ($1, 'AC2', 'h', 'u', '', now()), ($1, 'AC3', 'h', 'u', '', null)`,
    [org],
  )
  const expected = [[dialOrg.from, 'peer', 'sip', null]]
  for (const [more, kind, why] of [
    [{ account: 'deaf' }, 'sip', 'no_host'],
    [{ account: 'gone' }, 'sip', 'forgotten'],
    [{ account: 'AC1' }, 'apicarrier', 'not_provisioned'],
    [{ account: 'AC2' }, 'apicarrier', null],
    [{ account: 'AC3' }, 'apicarrier', 'not_provisioned'],
    [{ origin: 'hooked' }, null, 'hooked'],
    [{ origin: 'bought' }, null, 'bought'],
    [{ origin: 'typed' }, null, 'no_account'],
  ] as const) {
    const account = 'account' in more ? more.account : null
    expected.push([await withNumber(dialOrg, more), account, kind, why] as never)
  }
  const listed = await fromNumbers.ofAgent(org, 'production', 'desk')
  assert.deepEqual(
    listed.map(({ number, account, kind, why_not }) => [number, account, kind, why_not]),
    expected,
  )
})

test('from-numbers are the agent’s own in the environment, oldest first, and phone numbers alone (N-246, N-247, ND-45, ND-50)', async () => {
  const dialOrg = await DialOrg.open(deployment)
  const other = await DialOrg.open(deployment)
  const { id: org } = dialOrg.org
  const second = await withNumber(dialOrg, { account: 'peer' })
  const sandbox = await withNumber(dialOrg, { account: 'peer', env: 'sandbox' })
  const sales = await withNumber(dialOrg, { account: 'peer' })
  const written = await withNumber(dialOrg, { account: 'peer' })
  await sql(`update numbers set agent = 'sales' where number = $1`, [sales])
  await sql(`update numbers set channel = 'msgapp' where number = $1`, [written])
  const numbers = (list: { number: string }[]) => list.map(({ number }) => number)
  assert.deepEqual(numbers(await fromNumbers.ofAgent(org, 'production', 'desk')), [dialOrg.from, second])
  assert.deepEqual(numbers(await fromNumbers.ofAgent(org, 'production', 'sales')), [sales])
  assert.deepEqual(numbers(await fromNumbers.ofEnvironment(org, 'production')), [dialOrg.from, second, sales])
  assert.deepEqual(numbers(await fromNumbers.ofEnvironment(org, 'sandbox')), [sandbox])
  const called = await dialOrg.knownNumber()
  assert.equal(await dialOrg.outcome(called, { from: second }), 'taken')
  for (const from of [sandbox, sales, written, other.from])
    assert.equal(await dialOrg.outcome(called, { from }), '409 no_from')
})
