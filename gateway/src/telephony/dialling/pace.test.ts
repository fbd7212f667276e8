import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startDeployment } from '../../../testing/deployment.ts'
import { DialOrg, goTo, newCalled } from '../../../testing/telephony/dial-fixture.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { dayMs, hourMs, minuteMs, secondMs } from '../../foundation/clock.ts'
import { readFacts } from './dial-decisions.store.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { clock, sql } = deployment
const newYork = '+12125550123'

test('the seventh dial of a minute is refused, refused ones counted, and a wait lifts it (N-287, N-288, N-293, N-518, N-522, T-02)', async () => {
  const dialOrg = await DialOrg.open(deployment)
  const to = await dialOrg.knownNumber()
  for (let n = 0; n < 6; n += 1) assert.equal(await dialOrg.outcome(newCalled()), '403 stranger')
  assert.equal(await dialOrg.outcome(to), '429 per_minute')
  for (let n = 0; n < 24; n += 1) {
    clock.forward(5 * secondMs)
    assert.equal(await dialOrg.outcome(to), '429 per_minute')
  }
  clock.forward(61 * secondMs)
  assert.equal(await dialOrg.outcome(to), 'taken')
})

test('the pace is judged after the list: the seventh dial to a listed number is 403, and a row (T-04)', async () => {
  const dialOrg = await DialOrg.open(deployment)
  const to = await dialOrg.knownNumber()
  done(await dialOrg.client.post('/v1/org/dnc', { numbers: [to], source: 'registry' }))
  for (let n = 0; n < 7; n += 1) assert.equal(await dialOrg.outcome(to), '403 opted_out')
  assert.equal((await dialOrg.ledger()).length, 7)
})

test('more dials than 200 in a day are refused, and a wait lifts it (N-289, N-293, N-518, N-523, ND-49, T-03)', async () => {
  const dialOrg = await DialOrg.open(deployment)
  const to = await dialOrg.knownNumber()
  await dialOrg.rows(50, dayMs + secondMs)
  await dialOrg.rows(500, hourMs, { outcome: 'refused' })
  await dialOrg.rows(199, hourMs)
  assert.equal(await dialOrg.outcome(to), 'taken')
  assert.equal(await dialOrg.outcome(to), '429 per_day')
  clock.forward(22 * hourMs)
  assert.equal(await dialOrg.outcome(to), '429 per_day')
  clock.forward(hourMs)
  assert.equal(await dialOrg.outcome(to), 'taken')
})

test('a row of exactly a minute or a day ago does not count any more (ND-49)', async () => {
  const dialOrg = await DialOrg.open(deployment)
  await dialOrg.rows(1, hourMs, { to: newYork })
  const { rows } = await sql('select at from dials where org = $1', [dialOrg.org.id])
  const at = new Date(rows[0].at)
  const justAfter = new Date(at.getTime() - 1)
  const scope = { org: dialOrg.org.id, env: 'production', agent: 'desk', holder: '' } as const
  const alive = { own: '', since: at }
  for (const [ago, count] of [
    [at, 0],
    [justAfter, 1],
  ] as const) {
    const asked = { scope, to: newYork, member: null, minuteAgo: ago, dayAgo: ago, alive }
    const facts = await readFacts(deployment.gateway.services.database, asked)
    assert.deepEqual([facts?.in_minute, facts?.in_day, facts?.to_number], [count, count, count])
  }
})

test('counts are of one org and one environment (ND-49)', async () => {
  const dialOrg = await DialOrg.open(deployment)
  const other = await DialOrg.open(deployment)
  await dialOrg.rows(6, secondMs, { env: 'sandbox' })
  await dialOrg.rows(300, hourMs, { env: 'sandbox' })
  await other.rows(6, secondMs)
  assert.equal(await dialOrg.outcome(await dialOrg.knownNumber()), 'taken')
  assert.equal(await other.outcome(await other.knownNumber()), '429 per_minute')
})

test('a number is dialled three times a day if it is +1; refused dials to it do not count (N-290, N-518, N-524, T-03)', async () => {
  const dialOrg = await DialOrg.open(deployment)
  goTo(clock, 17)
  await dialOrg.known(newYork)
  for (let n = 0; n < 3; n += 1) {
    assert.equal(await dialOrg.outcome(newYork), '403 no_consent')
    clock.forward(minuteMs)
  }
  await dialOrg.consented(newYork)
  for (let n = 0; n < 3; n += 1) assert.equal(await dialOrg.outcome(newYork), 'taken')
  assert.equal(await dialOrg.outcome(newYork), '429 too_often')
  clock.forward(dayMs + secondMs)
  assert.equal(await dialOrg.outcome(newYork), 'taken')
})

test('elsewhere a number has no count of its own (N-292)', async () => {
  const dialOrg = await DialOrg.open(deployment)
  const to = await dialOrg.knownNumber()
  await dialOrg.rows(3, hourMs, { to })
  assert.equal(await dialOrg.outcome(to), 'taken')
  done(await dialOrg.client.put('/v1/org/policy', { per_number_day: 1 }))
  assert.equal(await dialOrg.outcome(to), '429 too_often')
  assert.equal(await dialOrg.outcome(await dialOrg.knownNumber()), 'taken')
})
