import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Pool } from 'pg'
import { emptyDatabase } from '../../testing/databases.ts'
import { startDeployment } from '../../testing/deployment.ts'
import { dayMs } from '../foundation/clock.ts'
import { migrate, shippedMigrations } from './migrations.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { sql } = deployment
const usual =
  'logs of ended calls are kept for 400 days (SVC_LOG_DAYS), records of calls for 800 days (SVC_CALL_DAYS), dials for 2000 days (SVC_DIAL_DAYS), revoked keys for 400 days (SVC_KEY_DAYS)'

test('a new deployment keeps what ages for the usual time, and its start says so', async () => {
  assert.equal(deployment.gateway.kept, usual)
  assert.ok(deployment.log().includes(`"msg":"${usual}"`))
  const { lives } = deployment.gateway.services
  assert.deepEqual([await lives.keptMs('logs'), await lives.keptMs('dials')], [400 * dayMs, 2000 * dayMs])
})

test('what the operator sets wins, and 0 is for ever', async () => {
  await using other = await deployment.another({ SVC_LOG_DAYS: '7', SVC_KEY_DAYS: '0' })
  assert.match(
    other.gateway.kept,
    /^logs of ended calls are kept for 7 days .* revoked keys for ever \(SVC_KEY_DAYS\)$/,
  )
  assert.equal(await other.gateway.services.lives.keptMs('keys'), undefined)
})

test('the migration sets no life where there is a deployment already', async () => {
  const older = await emptyDatabase()
  const pool = new Pool({ connectionString: older.url, max: 1 })
  try {
    const shipped = await shippedMigrations()
    await migrate(
      pool,
      shipped.filter(({ name }) => name < '0047'),
    )
    await pool.query(`insert into deployment (vault_check) values ('x')`)
    await migrate(pool, shipped)
    assert.deepEqual((await pool.query('select lives from deployment')).rows, [{ lives: {} }])
  } finally {
    await pool.end()
    await older.drop()
  }
})

test('a deployment from before these lives keeps everything until the operator sets one', async () => {
  await sql(`update deployment set lives = '{}'`)
  await using older = await deployment.another()
  assert.equal(older.gateway.kept, usual.replaceAll(/for \d+ days/g, 'for ever'))
  const { lives } = older.gateway.services
  for (const aging of ['logs', 'calls', 'dials', 'keys'] as const)
    assert.equal(await lives.keptMs(aging), undefined)
  await using set = await deployment.another({ SVC_DIAL_DAYS: '365' })
  assert.equal(await set.gateway.services.lives.keptMs('dials'), 365 * dayMs)
})
