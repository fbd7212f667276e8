import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { DialOrg } from '../../../testing/telephony/dial-fixture.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { hourMs, secondMs } from '../../foundation/clock.ts'
import { Refusal } from '../../foundation/refusals.ts'
import { lockingOrg } from './dial-decisions.store.ts'

const deployment = await startDeployment()
const second = await deployment.another()
after(() => deployment[Symbol.asyncDispose]())

/** How many dials of these many, asked at the same time on two gateways in turn, are taken. */
async function dialAtOnce(dialOrg: DialOrg, count: number, to: string): Promise<number> {
  const answers = await Promise.all(
    Array.from({ length: count }, (_, n) => dialOrg.dial(to, {}, n % 2 === 0 ? deployment : second)),
  )
  const refusals = answers.filter((answer) => answer instanceof Refusal)
  assert.ok(refusals.every(({ status }) => status === 429))
  return count - refusals.length
}

async function outcomes(dialOrg: DialOrg) {
  const { rows } = await deployment.sql(
    `select outcome, reason, count(*)::int from dials where org = $1 and agent = 'desk' and by = 'ci' and caller is not null
     group by outcome, reason order by outcome desc`,
    [dialOrg.org.id],
  )
  return rows.map(({ outcome, reason, count }) => [outcome, reason, count])
}

test('of ten dials at once on two gateways with one slot left in the minute one is taken, and ten are rows (N-297, T-01)', async () => {
  const dialOrg = await DialOrg.open(deployment)
  const to = await dialOrg.knownNumber()
  await dialOrg.rows(5, secondMs)
  assert.equal(await dialAtOnce(dialOrg, 10, to), 1)
  assert.deepEqual(await outcomes(dialOrg), [
    ['taken', null, 1],
    ['refused', 'per_minute', 9],
  ])
})

test('of fifty dials at once on two gateways with three slots left three are taken and 47 rows are refused (N-296, N-297, T-01)', async () => {
  const dialOrg = await DialOrg.open(deployment)
  const to = await dialOrg.knownNumber()
  await dialOrg.rows(3, secondMs)
  assert.equal(await dialAtOnce(dialOrg, 50, to), 3)
  assert.deepEqual(await outcomes(dialOrg), [
    ['taken', null, 3],
    ['refused', 'per_minute', 47],
  ])
})

test('the last slots of the day and of a number are taken once each as well (N-297)', async () => {
  const dialOrg = await DialOrg.open(deployment)
  const to = await dialOrg.knownNumber()
  done(await deployment.operator.put(`/v1/ops/orgs/${dialOrg.org.slug}/dialling`, { per_minute: 1000 }))
  await dialOrg.rows(198, hourMs)
  assert.equal(await dialAtOnce(dialOrg, 50, to), 2)
  const other = await DialOrg.open(deployment)
  const their = await other.knownNumber()
  done(await deployment.operator.put(`/v1/ops/orgs/${other.org.slug}/dialling`, { per_minute: 1000 }))
  done(await other.client.put('/v1/org/policy', { per_number_day: 4 }))
  assert.equal(await dialAtOnce(other, 50, their), 4)
  assert.deepEqual(await outcomes(other), [
    ['taken', null, 4],
    ['refused', 'too_often', 46],
  ])
})

test('one org’s dials do not wait for another’s (N-296)', async () => {
  const [held, free] = [await DialOrg.open(deployment), await DialOrg.open(deployment)]
  const [theirs, ours] = [await held.knownNumber(), await free.knownNumber()]
  const holder = await deployment.gateway.services.database.pool.connect()
  try {
    await holder.query('begin')
    await holder.query('select from orgs where id = $1 for update', [held.org.id])
    const waiting = held.dial(theirs)
    assert.ok(!((await free.dial(ours)) instanceof Refusal))
    assert.deepEqual((await deployment.sql('select from dials where org = $1', [held.org.id])).rowCount, 0)
    await holder.query('rollback')
    assert.ok(!((await waiting) instanceof Refusal))
  } finally {
    holder.release()
  }
})

test('while a dial is decided, calls of the same org come in (N-296)', async () => {
  const dialOrg = await DialOrg.open(deployment)
  const { database } = deployment.gateway.services
  await database.transactionHolding(lockingOrg(dialOrg.org.id), async () => {
    const { key } = await dialOrg.org.serverToken('production')
    for (const { anonymous } of [deployment, second])
      done(await anonymous.as(key).post('/v1/calls', { agent: 'desk', channel: 'chat' }))
  })
})
