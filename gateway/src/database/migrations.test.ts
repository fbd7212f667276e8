import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'pg'
import { emptyDatabase } from '../../testing/databases.ts'
import { migrate, shippedMigrations } from './migrations.ts'

const database = await emptyDatabase()
const pools: Pool[] = []
after(async () => {
  await Promise.all(pools.map((pool) => pool.end()))
  await database.drop()
})

const newPool = () => {
  const pool = new Pool({ connectionString: database.url, max: 2, statement_timeout: 20_000 })
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

test('a migration waits for a table only briefly and tries again, so that readers of it wait no longer', async () => {
  const before = migration(
    '0001_a.sql',
    'create table a (n int); insert into a select 1; select pg_sleep(0.2)',
  )
  const adding = [before, migration('0002_b.sql', 'alter table a add column m int')]
  const [holder, reader, migrating] = [newPool(), newPool(), newPool()]
  const held = await holder.connect()
  await held.query('begin; select from a')
  const timing = { lockedWithinMs: 200, pauseMs: 200, tries: 1000 }
  const applied = migrate(migrating, adding, timing)
  // Behind an alter table that waits without an end, the first of these would wait for as long as the holder holds.
  for (let n = 0; n < 20; n += 1) {
    await reader.query('select n from a')
    await pause(50)
  }
  await held.query('commit')
  held.release()
  assert.deepEqual(await applied, ['0002_b.sql'])
  assert.deepEqual((await reader.query('select m from a')).rows, [{ m: null }])
})

test('a migration whose tables stay locked is given up with what to do, and leaves nothing behind', async () => {
  const before = [
    migration('0001_a.sql', 'create table a (n int); insert into a select 1; select pg_sleep(0.2)'),
    migration('0002_b.sql', 'alter table a add column m int'),
  ]
  const adding = [...before, migration('0003_c.sql', 'create table c (n int); alter table a drop column m')]
  const held = await newPool().connect()
  await held.query('begin; select from a')
  await assert.rejects(migrate(newPool(), adding, { lockedWithinMs: 50, pauseMs: 10, tries: 3 }), {
    message:
      'the migration 0003_c.sql failed: others hold its tables (tried 3 times): end the sessions that have been in a transaction for long, and start again',
  })
  assert.deepEqual((await held.query(`select to_regclass('c') as c`)).rows, [{ c: null }])
  await held.query('commit')
  held.release()
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

test('what was there before caps and words of an org is counted and found as what comes after it', async () => {
  const filled = await emptyDatabase()
  const own = new Pool({ connectionString: filled.url })
  try {
    const all = await shippedMigrations()
    await migrate(
      own,
      all.filter(({ name }) => name < '0019'),
    )
    await own.query(`
      insert into orgs (id, slug, name, quotas, created_at) values ('org_1', 'one', 'One', '{}', now());
      insert into agents (org, slug, created_at) values ('org_1', 'desk', now());
      insert into calls (id, org, agent, env, holder, channel, opened_at, settings, canary)
      select 'call_' || n, 'org_1', 'desk', 'sandbox', '', 'phone', now(), '[]', false from generate_series(1, 2) n;
      insert into logs (id, org, env, agent, call, seq) select id, org, env, agent, id, 2 from calls;
      insert into entries (log, seq, ts, type, entry)
      select id, 1, 1, 'user.message', '{"data":{"text":"hello there"}}' from calls
      union all select id, 2, 1, 'call.ended', '{"data":{}}' from calls;
      insert into recordings (call, bytes, duration_ms, stored_at) select id, 100, 1, now() from calls`)
    await migrate(own)
    const found = await own.query(`
      select log from entries where org = 'org_1'
        and org_words(org, entry::json -> 'data' ->> 'text') @> org_words('org_1', 'HELLO')`)
    assert.equal(found.rowCount, 2)
    assert.equal((await own.query('select from entries where org is null')).rowCount, 2)
    assert.deepEqual((await own.query('select org, bytes::int from recorded_bytes')).rows, [
      { org: 'org_1', bytes: 200 },
    ])
  } finally {
    await own.end()
    await filled.drop()
  }
})
