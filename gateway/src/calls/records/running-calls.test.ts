import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startDeployment } from '../../../testing/deployment.ts'
import { plannedRows } from '../../../testing/query-plan.ts'
import { countRunning, runningCount } from './records.store.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { sql } = deployment
const { database } = deployment.gateway.services

test('the calls that run are those that have begun and not ended, and only they are read', async () => {
  const { id: org } = await deployment.newOrg()
  await sql(`insert into agents (org, slug, created_at) values ($1, 'desk', now())`, [org])
  await sql(
    `insert into logs (id, org, env, agent, call, seq, sealed)
     select $1 || n, $1, 'sandbox', 'desk', $1 || n, n % 3, n > 90 from generate_series(1, 2000) as n`,
    [org],
  )
  await sql('analyze logs')
  assert.equal(await countRunning(database, org), 60)
  const read = await plannedRows(sql, runningCount, [org])
  assert.ok(read <= 100, `it read ${read} rows`)
})
