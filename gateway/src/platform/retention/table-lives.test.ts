import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import { startDeployment } from '../../../testing/deployment.ts'
import { lifeSettings } from '../../foundation/retention-settings.ts'
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
