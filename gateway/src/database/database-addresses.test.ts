import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { missing } from '@switchroom/tools/debian-packages'
import { migratedDatabase } from '../../testing/databases.ts'
import { startOn } from '../../testing/deployment.ts'
import { PgBouncer } from '../../testing/pgbouncer.ts'
import { startFailure } from '../start-failure.ts'

/** Why a gateway does not start with these settings; or the settings start one. */
async function refusal(
  database: Awaited<ReturnType<typeof migratedDatabase>>,
  wanted: Record<string, string>,
) {
  try {
    const started = await startOn(database, wanted, false)
    await started[Symbol.asyncDispose]()
    return 'it starts'
  } catch (error) {
    return startFailure(error)
  }
}

const database = await migratedDatabase()
after(() => database.drop())

const unnamed =
  'SVC_DATABASE_URL leads to a connection pooler, such as PgBouncer: set SVC_DATABASE_DIRECT_URL to the address of the same database on the PostgreSQL behind it, in addition'
const strange =
  'SVC_DATABASE_DIRECT_URL leads to another database than SVC_DATABASE_URL: both must lead to the same one, and on the same server'

test('a direct address that leads to another database is refused', async () => {
  const other = await migratedDatabase()
  assert.equal(await refusal(database, { SVC_DATABASE_DIRECT_URL: other.url }), strange)
  await other.drop()
})

test('a direct address where no database answers is refused by its own name', async () => {
  assert.equal(
    await refusal(database, { SVC_DATABASE_DIRECT_URL: 'postgresql://postgres@127.0.0.1:1/switchroom' }),
    'the database does not answer (ECONNREFUSED): start it, or correct SVC_DATABASE_DIRECT_URL',
  )
})

test('a direct address is taken although no pooler is before the database', async () => {
  assert.equal(await refusal(database, { SVC_DATABASE_DIRECT_URL: database.url }), 'it starts')
})

describe('with PgBouncer', { skip: missing('pgbouncer') }, async () => {
  if (missing('pgbouncer')) return

  test('a pooler without a direct address is refused, whether or not it ignores what it does not know', async () => {
    for (const more of [[], ['ignore_startup_parameters = statement_timeout,options']]) {
      await using pooler = await PgBouncer.start(database.url, { more })
      const { SVC_DATABASE_URL = '' } = pooler.settingsFor(database.url)
      assert.equal(await refusal(database, { SVC_DATABASE_URL }), unnamed)
    }
  })

  test('a direct address that leads to the pooler is refused', async () => {
    for (const more of [[], ['ignore_startup_parameters = statement_timeout,options']]) {
      await using pooler = await PgBouncer.start(database.url, { more })
      const { SVC_DATABASE_URL = '' } = pooler.settingsFor(database.url)
      assert.equal(
        await refusal(database, { SVC_DATABASE_URL, SVC_DATABASE_DIRECT_URL: SVC_DATABASE_URL }),
        'SVC_DATABASE_DIRECT_URL leads to a connection pooler: it must be the address of the PostgreSQL behind it',
      )
    }
  })
})
