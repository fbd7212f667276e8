import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startDeployment } from '../../../testing/deployment.ts'
import { statement, type Queryable, type Statement, type Value } from '../../database/database.ts'
import { countByVersion } from './drift.store.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { sql } = deployment

test('how the versions of an agent fared is read from the index alone', async () => {
  const org = await deployment.newOrg()
  await sql(`insert into agents (org, slug, created_at) values ($1, 'desk', now())`, [org.id])
  await sql(
    `insert into calls (id, org, agent, env, holder, channel, opened_at, settings, canary, config_holder,
       config_version)
     select 'call_' || n, $1, 'desk', 'sandbox', '', 'chat', now(), '[]', false, '', 1 + n % 20
     from generate_series(1, 4000) n`,
    [org.id],
  )
  await sql('vacuum analyze calls')
  const plans: string[] = []
  const recording = {
    rows: async (query: Statement<object>, ...values: Value[]) => {
      await deployment.gateway.services.database.transaction(async (tx) => {
        // how much of a table is vacuumed decides between them, but not whether the index holds everything
        await tx.rows(statement('set local enable_bitmapscan = off'))
        await tx.rows(statement('set local enable_seqscan = off'))
        const lines = await tx.rows(statement<{ 'QUERY PLAN': string }>(`explain ${query.text}`), ...values)
        plans.push(lines.map((line) => line['QUERY PLAN']).join('\n'))
      })
      return []
    },
  }
  const scope = { org: org.id, agent: 'desk', env: 'sandbox', holder: '' } as const
  await countByVersion(recording as unknown as Queryable, scope, [1, 2])
  assert.match(plans[0] ?? '', /Index Only Scan using calls_fared_with_tests/)
})
