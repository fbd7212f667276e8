import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startDeployment } from '../../testing/deployment.ts'
import { IndexChanges, type IndexChange } from './index-changes.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { sql } = deployment
const { database } = deployment.gateway.services
const go = new AbortController().signal

await sql('create table shelves (label text)')
const make = 'create index concurrently shelves_by_label on shelves (label)'
const made: IndexChange = { name: 'shelves_by_label', make }

const indexes = async () =>
  (
    await sql(
      `select indexrelid::regclass::text as name, indisvalid as is_whole
       from pg_index where indrelid = 'shelves'::regclass order by 1`,
    )
  ).rows

test('an index is made while the gateway serves, and made anew if the last try was cut short', async () => {
  await new IndexChanges(database, [made]).run(go)
  assert.deepEqual(await indexes(), [{ name: 'shelves_by_label', is_whole: true }])
  await new IndexChanges(database, [made]).run(go)
  await sql(`update pg_index set indisvalid = false where indexrelid = 'shelves_by_label'::regclass`)
  await new IndexChanges(database, [made]).run(go)
  assert.deepEqual(await indexes(), [{ name: 'shelves_by_label', is_whole: true }])
})

test('an index is dropped when the time for that has come, and what follows waits', async () => {
  let isDue = false
  const later: IndexChange = {
    name: 'shelves_whole',
    make: 'create index concurrently shelves_whole on shelves (label)',
  }
  const changes = new IndexChanges(database, [{ ...made, make: null, isDue: async () => isDue }, later])
  await changes.run(go)
  assert.deepEqual(await indexes(), [{ name: 'shelves_by_label', is_whole: true }])
  isDue = true
  await changes.run(go)
  assert.deepEqual(await indexes(), [{ name: 'shelves_whole', is_whole: true }])
})

test('of two gateways that start at once, one makes the index', async () => {
  await sql('drop index shelves_whole')
  await Promise.all([new IndexChanges(database, [made]).run(go), new IndexChanges(database, [made]).run(go)])
  assert.deepEqual(await indexes(), [{ name: 'shelves_by_label', is_whole: true }])
})
