import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pool } from 'pg'
import { emptyDatabase } from '../../../testing/databases.ts'
import { migrate, shippedMigrations } from '../../database/migrations.ts'

test('tokens older than the rule are taken as made by what their maker holds when it comes', async () => {
  const database = await emptyDatabase()
  const pool = new Pool({ connectionString: database.url, max: 2 })
  try {
    const shipped = await shippedMigrations()
    await migrate(
      pool,
      shipped.filter(({ name }) => name < '0022'),
    )
    await pool.query(`
      insert into orgs (id, slug, name, quotas, created_at) values ('org_1', 'one', 'One', '{}', now());
      insert into persons (email) values ('ana@example.com'), ('dev@example.com');
      insert into members (id, org, email, name, role, status, production, created_at) values
        ('mem_ana', 'org_1', 'ana@example.com', 'Ana', 'admin', 'active', true, now()),
        ('mem_dev', 'org_1', 'dev@example.com', 'Dev', 'developer', 'active', true, now());
      insert into keys (id, org, kind, label, env, scopes, created_by, created_at)
      select 'key_' || maker, 'org_1', 'server', 'ci', 'sandbox', '{app}', maker, now()
      from unnest(array['mem_ana', 'mem_dev', 'mem_gone', 'operator', 'operator:olga@example.com']) maker`)
    await migrate(pool, shipped)
    const { rows } = await pool.query(
      `select created_by from keys where maker_held_providers and maker_held_production order by ordinal`,
    )
    assert.deepEqual(
      rows.map(({ created_by }) => created_by),
      ['mem_ana', 'operator', 'operator:olga@example.com'],
    )
  } finally {
    await pool.end()
    await database.drop()
  }
})
