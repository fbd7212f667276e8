import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import { startDeployment } from '../../../testing/deployment.ts'
import { until } from '../../../testing/until.ts'
import { lifeSettings } from '../../foundation/retention-settings.ts'
import { indexesOfRetention } from './retention-indexes.ts'
import { tableLives } from './table-lives.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const page = await readFile(new URL('../../../../docs/retention.md', import.meta.url), 'utf8')

test('every table of a database has a stated life', async () => {
  const { rows } = await deployment.sql(
    `select relname as name from pg_class
     where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace`,
  )
  assert.deepEqual(new Set(Object.keys(tableLives)), new Set(rows.map(({ name }) => name)))
})

test('docs/retention.md states the same lives, and every setting of one', () => {
  const stated = Array.from(page.matchAll(/^\| `([a-z_]+)` \| (.+) \|$/gm), ([, table, life]) => [
    table,
    life,
  ])
  assert.deepEqual(Object.fromEntries(stated), tableLives)
  for (const setting of Object.values(lifeSettings))
    assert.match(page, new RegExp(`^\\| \`${setting}\` \\|`, 'm'))
})

test('a database from before has the indexes by which old rows are found, made by a gateway that serves', async () => {
  for (const { name } of indexesOfRetention) await deployment.sql(`drop index ${name}`)
  await using older = await deployment.another()
  await until('the indexes are whole', async () => {
    const { rows } = await older
      .sql(`select from pg_index where indexrelid = any($1::text[]::regclass[]) and indisvalid`, [
        indexesOfRetention.map(({ name }) => name),
      ])
      .catch(() => ({ rows: [] }))
    return rows.length === indexesOfRetention.length
  })
})
