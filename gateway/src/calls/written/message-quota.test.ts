import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startDeployment } from '../../../testing/deployment.ts'
import { plannedRows } from '../../../testing/query-plan.ts'
import { dayMs, later } from '../../foundation/clock.ts'
import { countUsed, insertUsed, usedCount } from './message-quota.store.ts'

const deployment = await startDeployment()
const second = await deployment.another()
after(() => deployment[Symbol.asyncDispose]())
const { sql, gateway, clock } = deployment
const { database } = gateway.services
const env = 'production'
const many = 6000

test('turns are counted exactly and once, also while two gateways ask at once, and in fewer than a thousand rows', async () => {
  const { id: org } = await deployment.newOrg()
  const now = clock.now()
  const call = { id: `call_${org}`, org, env } as const
  const seqs = Array.from({ length: many }, (_, n) => n + 1)
  const half = many / 2
  await sql(
    `insert into asked_turns (call, seq, org, env, asked_at)
     select $1, n, $2, '${env}', $3::timestamptz - n * interval '100000 seconds' / ${half}
     from generate_series(1, ${half}) as n`,
    [call.id, org, now],
  )
  await Promise.all(
    Array.from({ length: 20 }, (_, n) => {
      const { database: one } = n % 2 === 0 ? gateway.services : second.gateway.services
      return insertUsed(one, call, seqs.slice(half - 50, half + n), now) // most are known
    }),
  )
  const since = later(now, -dayMs)
  const { rows } = await sql(
    'select count(*)::int as count from asked_turns where org = $1 and asked_at > $2',
    [org, since],
  )
  assert.equal(await countUsed(database, org, env, since), rows[0].count)
  await gateway.services.messageQuota.deleteExpired()
  assert.equal(await countUsed(database, org, env, since), rows[0].count)
  await sql('analyze asked_turns, quota_counts')
  const read = await plannedRows(sql, usedCount, [org, env, since])
  assert.ok(read < 1000, `it read ${read} rows`)
})
