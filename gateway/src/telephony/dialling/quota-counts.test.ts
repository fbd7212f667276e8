import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { DialOrg } from '../../../testing/telephony/dial-fixture.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { plannedRows } from '../../../testing/query-plan.ts'
import { dayMs, later, minuteMs } from '../../foundation/clock.ts'
import { factsRead, readFacts } from './dial-decisions.store.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { sql, gateway, clock } = deployment
const { database, runningGateways } = gateway.services
const env = 'production'
const many = 6000

const dialsOf = (org: string, ats: string, values: unknown[] = []) =>
  sql(
    `insert into dials (id, org, env, agent, kind, called, by, outcome, status, reason, at)
     select 'dial_' || $1 || '_' || gen_random_uuid(), $1, '${env}', 'desk', 'dial', '+34600' || n, 'test',
       case when n % 10 = 0 then 'refused' else 'taken' end, 202, case when n % 10 = 0 then 'x' end, at
     from (${ats}) as dialled (n, at)`,
    [org, ...values],
  )

test('the dials of a day are counted exactly, wherever in five minutes the day begins (N-296)', async () => {
  const { org } = await DialOrg.open(deployment)
  const now = clock.now()
  await dialsOf(
    org.id,
    `select n, $2::timestamptz - n * interval '7 minutes 3 seconds' from generate_series(1, 400) as n`,
    [now],
  )
  for (let n = 0; n < 12; n += 1) {
    const dayAgo = later(now, -dayMs + n * 47_000)
    const scope = { org: org.id, env, agent: 'desk', holder: '' } as const
    const { alive } = runningGateways
    const asked = { scope, to: '+34600', member: null, minuteAgo: later(now, -minuteMs), dayAgo, alive }
    const facts = await readFacts(database, asked)
    const { rows } = await sql(
      `select count(*)::int as count from dials where org = $1 and at > $2 and outcome = 'taken'`,
      [org.id, dayAgo],
    )
    assert.ok(rows[0].count > 150)
    assert.equal(facts?.in_day, rows[0].count)
  }
})

test('a decision reads fewer than a thousand rows, also of an org with thousands of dials today (N-296)', async () => {
  const { org } = await DialOrg.open(deployment)
  const now = clock.now()
  const ats = `select n, $2::timestamptz - n * interval '86400 seconds' / ${many} from generate_series(1, ${many}) as n`
  await dialsOf(org.id, ats, [now])
  await sql('analyze dials, quota_counts')
  const { own, since } = runningGateways.alive
  const [minuteAgo, dayAgo] = [later(now, -minuteMs), later(now, -dayMs)]
  const values = [org.id, env, 'desk', '+34600', minuteAgo, dayAgo, null, '', own, since]
  const read = await plannedRows(sql, factsRead, values)
  assert.ok(read < 1000, `it read ${read} rows`)
})

test('counts of earlier days are deleted with the first of five minutes', async () => {
  const { org } = await DialOrg.open(deployment)
  const now = clock.now()
  await dialsOf(
    org.id,
    `select n, $2::timestamptz - n * interval '1 hour' from generate_series(1, 99) as n`,
    [now],
  )
  await dialsOf(org.id, `select 1, $2::timestamptz`, [now])
  const { rows } = await sql(
    'select count(*)::int as count, max($2 - bucket * 300)::int as age from quota_counts where org = $1',
    [org.id, Math.floor(now.getTime() / 1000)],
  )
  assert.ok(rows[0].count < 60 && rows[0].age < (2.2 * dayMs) / 1000, JSON.stringify(rows[0]))
})
