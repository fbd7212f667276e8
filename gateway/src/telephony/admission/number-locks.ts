import type { PoolClient, QueryConfig } from 'pg'
import type { Database } from '../../database/database.ts'
import { secondMs } from '../../foundation/clock.ts'
import { unavailable } from '../../foundation/refusals.ts'

/** Connections that hold locks do nothing else, so there are few of them. */
const connectionsAtMost = 2
const longestWaitMs = 120 * secondMs

/** A task that needs several takes them in this order. */
export const numberLock = (number: string) => `number ${number}`
export const orgLock = (org: string) => `numbers of ${org}`
export const reconciliationLock = 'reconciliation of numbers'
export const carrierLock = (accountSid: string) => `carrier account ${accountSid}`

/** Locks that a task has. */
export interface HeldLocks {
  /** Takes one more if it is free: out of the order of locks, and so without waiting. */
  tryAlso(name: string): Promise<boolean>
}

/** A task that has one lock, and takes others one at a time. */
export interface LockHolder {
  withLock<T>(name: string, task: () => Promise<T>): Promise<T>
  /** Takes those that are free, without waiting for the others, and does the task with them. */
  withFreeOf<T>(names: readonly string[], task: (held: ReadonlySet<string>) => Promise<T>): Promise<T>
}

/**
 * Locks over everything that changes which numbers are admitted, on this gateway and across all of them. They are
 * the database connection's own, so PostgreSQL releases those of a gateway that dies.
 */
export class NumberLocks {
  readonly #database: Database
  /** By name, the last task of this process that has it or waits for it. */
  readonly #last = new Map<string, Promise<void>>()
  /** Tasks that wait for a connection. */
  readonly #queued: (() => void)[] = []
  #connections = 0

  constructor(database: Database) {
    this.#database = database
  }

  /** Runs the work under all of these locks, taken one after the other. */
  async withLocks<T>(names: readonly string[], work: (held: HeldLocks) => Promise<T>): Promise<T> {
    const releases: (() => void)[] = []
    try {
      for (const name of names) releases.push(await this.#queue(name))
      return await this.#onConnection((client) => heldOn(client, names, work))
    } finally {
      for (const release of releases.toReversed()) release()
    }
  }

  /**
   * Runs the work unless a task, here or on another gateway, has this lock; answers whether it did. The work takes
   * others one at a time and on the same connection.
   */
  async withLockIfFree(name: string, work: (holder: LockHolder) => Promise<void>): Promise<boolean> {
    return this.#onConnection(async (client) => {
      if (!(await tryLock(client, name))) return false
      await work({
        withLock: (other, task) => this.#withLockOn(client, other, task),
        withFreeOf: (names, task) => this.#withFreeOn(client, names, task),
      })
      return true
    })
  }

  async #withLockOn<T>(client: PoolClient, name: string, task: () => Promise<T>): Promise<T> {
    const release = await this.#queue(name)
    try {
      await waitFor(client, name)
      return await task()
    } finally {
      await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [name]).catch(() => {}) // lost with it
      release()
    }
  }

  async #withFreeOn<T>(
    client: PoolClient,
    names: readonly string[],
    task: (held: ReadonlySet<string>) => Promise<T>,
  ): Promise<T> {
    const free = names.filter((name) => !this.#last.has(name))
    const releases = await Promise.all(free.map((name) => this.#queue(name)))
    let held: string[] = []
    try {
      held = await tryLocks(client, free)
      return await task(new Set(held))
    } finally {
      await client.query(unlockAll(held)).catch(() => {}) // lost with it
      for (const release of releases) release()
    }
  }

  /** Tasks of this process queue here, so that those that wait for one org take no connection from the others. */
  async #queue(name: string): Promise<() => void> {
    const before = this.#last.get(name)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#last.set(name, promise)
    await before
    return () => {
      if (this.#last.get(name) === promise) this.#last.delete(name)
      resolve()
    }
  }

  async #onConnection<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    if (this.#connections >= connectionsAtMost)
      await new Promise<void>((resolve) => this.#queued.push(resolve)) // handed over by the task that is done
    else this.#connections += 1
    try {
      return await onLentConnection(this.#database, work)
    } finally {
      const next = this.#queued.shift()
      if (next) next()
      else this.#connections -= 1
    }
  }
}

/** A connection that a network has silenced must not keep its place among the few for ever. */
const timed = (text: string, ...values: string[]): QueryConfig & { query_timeout: number } => ({
  text,
  values,
  query_timeout: longestWaitMs + 5 * secondMs,
})

async function onLentConnection<T>(database: Database, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await database.pool.connect()
  let broken = false
  try {
    await client.query(timed(`set statement_timeout = ${longestWaitMs}`))
    return await work(client)
  } finally {
    const givenBack = client.query(timed('select pg_advisory_unlock_all(); reset statement_timeout'))
    await givenBack.catch(() => (broken = true))
    client.release(broken)
  }
}

async function heldOn<T>(
  client: PoolClient,
  names: readonly string[],
  work: (held: HeldLocks) => Promise<T>,
) {
  for (const name of names) await waitFor(client, name)
  return work({ tryAlso: (name) => tryLock(client, name) })
}

async function waitFor(client: PoolClient, name: string) {
  try {
    await client.query(timed('select pg_advisory_lock(hashtextextended($1, 0))', name))
  } catch (error) {
    const tookTooLong = (error as { code?: string }).code === '57014'
    throw tookTooLong ? unavailable('other changes of these numbers are under way: ask again', 5) : error
  }
}

async function tryLock(client: PoolClient, name: string): Promise<boolean> {
  const { rows } = await client.query(
    timed('select pg_try_advisory_lock(hashtextextended($1, 0)) as taken', name),
  )
  return rows[0].taken
}

/** Those of them that were free. */
async function tryLocks(client: PoolClient, names: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string; taken: boolean }>({
    ...timed(
      'select name, pg_try_advisory_lock(hashtextextended(name, 0)) as taken from unnest($1::text[]) as name',
    ),
    values: [names],
  })
  return rows.flatMap(({ name, taken }) => (taken ? [name] : []))
}

const unlockAll = (names: readonly string[]) => ({
  ...timed('select pg_advisory_unlock(hashtextextended(name, 0)) from unnest($1::text[]) as name'),
  values: [names],
})
