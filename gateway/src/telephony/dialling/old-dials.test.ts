import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startDeployment } from '../../../testing/deployment.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { dayMs } from '../../foundation/clock.ts'
import { OldDials } from './old-dials.ts'

const deployment = await startDeployment({ SVC_DIAL_DAYS: '100' })
after(() => deployment[Symbol.asyncDispose]())
const { sql, clock, operator } = deployment
const org = await deployment.newOrg()

/** Dials so many days ago, each with how it went, and a consent that was given for it. */
async function insertDials(name: string, count: number, daysAgo: number) {
  const at = new Date(clock.now().getTime() - daysAgo * dayMs)
  await sql(
    `insert into dials (id, org, env, agent, kind, called, caller, call, by, outcome, status, at)
     select $2::text || n, $1, 'production', 'desk', 'dial', '+34600' || n, '+34911', $2::text || n, 'me', 'taken', 202, $4
     from generate_series(1, $3::int) n`,
    [org.id, name, count, at],
  )
  await sql(
    `insert into dial_results (call, outcome, at)
     select $1::text || n, 'answered', $3 from generate_series(1, $2::int) n`,
    [name, count, at],
  )
  await sql(
    `insert into consents (id, org, number, fact, kind, by, call, at)
     select $2::text || n, $1, '+34600' || n, 'consent', 'express', 'me', $2::text || n, $4
     from generate_series(1, $3::int) n`,
    [org.id, name, count, at],
  )
}
const run = async (asker = operator): Promise<number> => done(await asker.post('/v1/ops/retention')).dials
const kept = async (table: string, name: string) =>
  (await sql(`select from ${table} where ${table === 'dial_results' ? 'call' : 'id'} like $1 || '%'`, [name]))
    .rows.length

test('dials older than SVC_DIAL_DAYS are deleted with how they went, and no younger one; consents stay for ever (N-047, N-312)', async () => {
  await insertDials('old', 2500, 101)
  await insertDials('young', 5, 99)
  assert.equal(await run(), 2500)
  assert.deepEqual([await kept('dials', 'old'), await kept('dial_results', 'old')], [0, 0])
  assert.deepEqual([await kept('dials', 'young'), await kept('dial_results', 'young')], [5, 5])
  assert.equal(await kept('consents', 'old'), 2500)
  assert.equal(await run(), 0)
})

test('two gateways that run it at the same time delete each dial once', async () => {
  await using there = await deployment.another()
  await insertDials('twice', 3000, 0)
  clock.forward(101 * dayMs)
  there.clock.forward(clock.now().getTime() - Date.now())
  await insertDials('since', 3, 1)
  const deleted = await Promise.all([run(), run(there.operator)])
  deleted.push(await run())
  assert.equal(
    deleted.reduce((sum, dials) => sum + dials),
    3005, // with those of the first test, which are as old now
  )
  assert.equal(await kept('dials', 'since'), 3)
})

test('a run that is stopped does nothing more, and the next run does the rest', async () => {
  await insertDials('left', 10, 0)
  clock.forward(101 * dayMs)
  const { slowDatabase, lives } = deployment.gateway.services
  assert.equal(await new OldDials(slowDatabase, clock, lives).forget(AbortSignal.abort()), 0)
  assert.equal(await kept('dials', 'left'), 10)
  assert.equal(await run(), 13)
})

test('for its age alone a dial is deleted, and none is ever changed', async () => {
  await insertDials('firm', 1, 0)
  const keeps = /dials keeps what it holds: rows are added, never changed or deleted/
  for (const attack of ['delete from dials', `update dials set reason = 'x'`, 'truncate dials'])
    await assert.rejects(sql(attack), keeps, attack)
  await assert.rejects(sql('delete from dial_results'), /dial_results keeps what it holds/)
  const client = await deployment.gateway.services.database.pool.connect()
  try {
    await client.query(`begin; select set_config('switchroom.dial_retention', 'on', true)`)
    await assert.rejects(client.query(`update dials set called = '+1'`), keeps)
  } finally {
    await client.query('rollback')
    client.release()
  }
})
