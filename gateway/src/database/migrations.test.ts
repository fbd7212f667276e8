import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Pool } from 'pg'
import { emptyDatabase } from '../../testing/databases.ts'
import { migrate } from './migrations.ts'

const database = await emptyDatabase()
const pools: Pool[] = []
after(async () => {
  await Promise.all(pools.map((pool) => pool.end()))
  await database.drop()
})

const newPool = () => {
  const pool = new Pool({ connectionString: database.url, max: 2 })
  pools.push(pool)
  return pool
}
const migration = (name: string, sql: string) => ({ name, sql, digest: `digest of ${sql}` })

test('several gateways that start at once migrate once, and the others wait for it', async () => {
  const first = [
    migration('0001_a.sql', 'create table a (n int); insert into a select 1; select pg_sleep(0.2)'),
  ]
  const applied = await Promise.all([1, 2, 3, 4].map(() => migrate(newPool(), first)))
  assert.deepEqual(applied.flat(), ['0001_a.sql'])
  const { rows } = await newPool().query('select count(*)::int as n from a')
  assert.deepEqual(rows, [{ n: 1 }])
})

test('a migration that fails leaves nothing of itself behind', async () => {
  const broken = [
    migration('0001_a.sql', 'create table a (n int); insert into a select 1; select pg_sleep(0.2)'),
    migration('0002_b.sql', 'create table b (n int); select no_such_function()'),
  ]
  const pool = newPool()
  await assert.rejects(migrate(pool, broken), {
    message: /^the migration 0002_b.sql failed: function no_such_function/,
  })
  const { rows } = await pool.query(`select to_regclass('b') as b`)
  assert.deepEqual(rows, [{ b: null }])
})

test('a database that a newer version migrated is refused with what to do', async () => {
  await assert.rejects(migrate(newPool(), []), {
    message:
      'the database was migrated by a newer version (0001_a.sql): start that version, or restore a backup',
  })
})

test('a migration that was changed after it ran is refused', async () => {
  await assert.rejects(migrate(newPool(), [migration('0001_a.sql', 'select 1')]), {
    message: 'the migration 0001_a.sql was changed after it ran here: start the version that ran it',
  })
})
