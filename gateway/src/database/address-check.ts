import { randomBytes } from 'node:crypto'
import { SettingError } from '@switchroom/process/setting-reader'
import { DatabaseError, type PoolClient } from 'pg'
import { statement, type Database } from './database.ts'
import type { DatabasePools } from './pools.ts'

const whatToDo =
  'set SVC_DATABASE_DIRECT_URL to the address of the same database on the PostgreSQL behind it, in addition'

export const poolerUnnamed = `SVC_DATABASE_URL leads to a connection pooler, such as PgBouncer: ${whatToDo}`
export const directIsPooler =
  'SVC_DATABASE_DIRECT_URL leads to a connection pooler: it must be the address of the PostgreSQL behind it'
export const otherDatabase =
  'SVC_DATABASE_DIRECT_URL leads to another database than SVC_DATABASE_URL: both must lead to the same one, and on the same server'

/** Why the database cannot be used at the address that only SVC_DATABASE_DIRECT_URL names. */
export class DirectAddressFailure extends Error {}

/** Before the first statement: a pooler that is not known to be one would lose locks, notices and time limits. */
export async function checkDatabaseAddresses(pools: DatabasePools): Promise<void> {
  if (pools.isOverPooler) return checkDirectAddress(pools)
  const isPooler = await onConnection(pools.requests, leadsToPooler).catch((error: unknown) => {
    if (isOfPooler(error)) return true
    throw error
  })
  if (isPooler) throw new SettingError(poolerUnnamed)
}

async function checkDirectAddress({ sessions, requests }: DatabasePools) {
  const direct = sessions.pool.connect().catch((error: unknown) => {
    if (isOfPooler(error)) throw new SettingError(directIsPooler)
    throw new DirectAddressFailure('the direct address does not serve', { cause: error })
  })
  const client = await direct
  try {
    if (await leadsToPooler(client)) throw new SettingError(directIsPooler)
    if (!(await isSameDatabase(client, requests))) throw new SettingError(otherDatabase)
  } finally {
    client.release(true) // with its lock
  }
}

const tryLock = statement<{ isFree: boolean }>('select pg_try_advisory_xact_lock($1::bigint) as "isFree"')

/** What one has locked is not free for the other: locks are a database's own, on one server. */
async function isSameDatabase(direct: PoolClient, pool: Database): Promise<boolean> {
  const lock = randomBytes(8).readBigInt64BE().toString()
  await direct.query('select pg_advisory_lock($1::bigint)', [lock])
  return (await pool.row(tryLock, lock))?.isFree === false
}

/** PostgreSQL says as a connection is opened which of its processes serves it; a pooler makes up a number. */
async function leadsToPooler(client: PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid !== (client as PoolClient & { processID?: number }).processID
}

/** PgBouncer takes no parameter that it does not know, unless it is told to ignore it. */
const isOfPooler = (error: unknown) =>
  error instanceof DatabaseError && error.message.startsWith('unsupported startup parameter')

async function onConnection<T>(database: Database, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await database.pool.connect()
  try {
    return await work(client)
  } finally {
    client.release()
  }
}
