import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { DatabaseError, type Pool, type PoolClient } from 'pg'

const folder = join(import.meta.dirname, 'migrations')

// Held while migrating, so that of several gateways starting at once one migrates and the others wait.
const migrationLock = 0x5377_6974

interface Migration {
  name: string
  digest: string
  sql: string
}

export interface MigrationTiming {
  /**
   * Requests that need the same table wait behind a migration that waits for its lock, and so no longer than this; behind
   * one that needs several tables, as often as it has some of them and waits for the next.
   */
  lockedWithinMs: number
  /** Between two tries, in which others get theirs. */
  pauseMs: number
  tries: number
}

const usualTiming: MigrationTiming = { lockedWithinMs: 200, pauseMs: 1_000, tries: 400 }

const [lockNotAvailable, deadlock] = ['55P03', '40P01']

/** A database that this program must not touch. */
export class MigrationError extends Error {}

export async function shippedMigrations(from = folder): Promise<Migration[]> {
  const names = (await readdir(from)).filter((name) => /^\d{4}_.+\.sql$/.test(name)).toSorted()
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(from, name), 'utf8')
      return { name, sql, digest: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

/** Brings the database up to this program, forward only. Returns the names of what was applied now. */
export async function migrate(
  pool: Pool,
  shipped?: Migration[],
  timing: MigrationTiming = usualTiming,
): Promise<string[]> {
  const migrations = shipped ?? (await shippedMigrations())
  const client = await pool.connect()
  try {
    await client.query('set statement_timeout = 0') // the wait for another gateway's migration is not a fault
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    return await applyMissing(client, migrations, timing)
  } finally {
    const givenBack = client.query(`select pg_advisory_unlock(${migrationLock}); reset statement_timeout`)
    client.release(
      await givenBack.then(
        () => false,
        () => true,
      ),
    ) // a broken connection takes both with it
  }
}

async function applyMissing(
  client: PoolClient,
  migrations: Migration[],
  timing: MigrationTiming,
): Promise<string[]> {
  await client.query(`
    create table if not exists migrations (
      name text primary key,
      digest text not null,
      applied_at timestamptz not null default now()
    )`)
  const { rows } = await client.query<{ name: string; digest: string }>('select name, digest from migrations')
  const applied = new Map(rows.map((row) => [row.name, row.digest]))
  refuseStrange(applied, migrations)

  const missing = migrations.filter((migration) => !applied.has(migration.name))
  for (const migration of missing) await apply(client, migration, timing)
  return missing.map((migration) => migration.name)
}

/** Other gateways serve meanwhile: it waits for a lock only briefly, and tries again. */
async function apply(client: PoolClient, migration: Migration, timing: MigrationTiming): Promise<void> {
  const { lockedWithinMs, pauseMs, tries } = timing
  for (let attempt = 1; ; attempt += 1) {
    await client.query(`begin; set local lock_timeout = ${lockedWithinMs}`)
    try {
      await client.query(migration.sql)
      await client.query('insert into migrations (name, digest) values ($1, $2)', [
        migration.name,
        migration.digest,
      ])
      await client.query('commit')
      return
    } catch (error) {
      await client.query('rollback')
      if (!isLockedOut(error)) throw failed(migration, (error as Error).message)
      if (attempt === tries)
        throw failed(
          migration,
          `others hold its tables (tried ${tries} times): end the sessions that have been in a transaction for long, and start again`,
        )
    }
    await pause(pauseMs)
  }
}

const isLockedOut = (error: unknown) =>
  error instanceof DatabaseError && (error.code === lockNotAvailable || error.code === deadlock)

const failed = ({ name }: Migration, why: string) =>
  new MigrationError(`the migration ${name} failed: ${why}`)

function refuseStrange(applied: Map<string, string>, migrations: Migration[]) {
  const known = new Map(migrations.map((migration) => [migration.name, migration.digest]))
  for (const [name, digest] of applied) {
    const shipped = known.get(name)
    if (shipped === undefined)
      throw new MigrationError(
        `the database was migrated by a newer version (${name}): start that version, or restore a backup`,
      )
    if (shipped !== digest)
      throw new MigrationError(
        `the migration ${name} was changed after it ran here: start the version that ran it`,
      )
  }
}
