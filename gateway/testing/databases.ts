import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { Client, Pool } from 'pg'
import { migrate, shippedMigrations } from '../src/database/migrations.ts'

const address = () => {
  const url = process.env['TEST_POSTGRES_URL']
  if (!url)
    throw new Error('these tests need a PostgreSQL: run them with npm test, or npm run test:only -- <file>')
  return url
}

const urlOf = (database: string) => address().replace(/\/postgres(?=\?|$)/, `/${database}`)

async function onServer<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: address() })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

export interface TestDatabase {
  url: string
  drop: () => Promise<void>
  /** Ends every connection to it and lets no new one in. */
  takeAway: () => Promise<void>
  giveBack: () => Promise<void>
}

/** One that is just being opened is seen a moment later, so none has to be there twice. */
async function endConnections(client: Client, name: string) {
  for (let looksWithout = 0; looksWithout < 2; await pause(20)) {
    const { rowCount } = await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1',
      [name],
    )
    looksWithout = rowCount === 0 ? looksWithout + 1 : 0
  }
}

/** A database of its own, with nothing in it. */
export async function emptyDatabase(copiedFrom?: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await onServer((client) =>
    client.query(`create database ${name} ${copiedFrom ? `template ${copiedFrom} strategy file_copy` : ''}`),
  )
  const run = (sql: string) => onServer(async (client) => void (await client.query(sql)))
  return {
    url: urlOf(name),
    async drop() {
      await onServer((client) => untilLeft(client, name))
      await run(`drop database if exists ${name} with (force)`)
    },
    async takeAway() {
      await run(`alter database ${name} allow_connections false`)
      await onServer((client) => endConnections(client, name))
    },
    giveBack: () => run(`alter database ${name} allow_connections true`),
  }
}

/** A pool says it has ended before the server has closed its connections; one cut off meanwhile would complain. */
async function untilLeft(client: Client, database: string) {
  for (let looks = 0; looks < 100; looks += 1) {
    const { rowCount } = await client.query('select from pg_stat_activity where datname = $1', [database])
    if (!rowCount) return
    await pause(20)
  }
}

/** A database of its own, copied from one that is migrated once for the whole run. */
export async function migratedDatabase(): Promise<TestDatabase> {
  return emptyDatabase(await template())
}

async function template(): Promise<string> {
  const migrations = await shippedMigrations()
  const digest = createHash('sha256').update(migrations.map((migration) => migration.digest).join())
  const name = `template_${digest.digest('hex').slice(0, 12)}`
  await onServer(async (client) => {
    await client.query('select pg_advisory_lock(1)') // test files start at the same instant
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
    if (rowCount) return
    await client.query(`create database ${name}_making`)
    const pool = new Pool({ connectionString: urlOf(`${name}_making`), max: 1 })
    await migrate(pool, migrations)
    await pool.end()
    await client.query(`alter database ${name}_making rename to ${name}`)
  })
  return name
}
