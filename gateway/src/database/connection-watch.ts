import { setTimeout as pause } from 'node:timers/promises'
import { Client, DatabaseError } from 'pg'
import { secondMs } from '../foundation/clock.ts'
import { statementTimeoutMs } from './database.ts'
import type { Wait, WatchedConnections } from './watched-connections.ts'

export interface WatchTiming {
  /** How often it looks. */
  everyMs: number
  /** A statement that takes longer is looked into. */
  suspectAfterMs: number
  /** How long the database may take to say what it does for us. */
  answersWithinMs: number
  /** After so long a statement has no answer to wait for, whatever the database says. */
  givenUpAfterMs: number
}

export const usualWatch: WatchTiming = {
  everyMs: secondMs,
  suspectAfterMs: 2 * secondMs,
  answersWithinMs: 3 * secondMs,
  givenUpAfterMs: statementTimeoutMs + 5 * secondMs,
}

/** Twice, because an answer may be under way, or this process may just have stood still. */
const looksBeforeGivenUp = 2

/** What the database does for each process, if it answers. */
type States = ReadonlyMap<number, string | null> | 'refused' | 'unreached'

const statesOf = `select pid, state from pg_stat_activity where pid = any($1)`
// What it did is undone, and what it locked is free; else both wait until the database notices, which may take hours.
const endIdle = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where pid = any($1) and state like 'idle%' and usename = current_user and datname = current_database()`

/**
 * Finds connections that a network has silenced. A slow statement looks the same from here, so the database is asked
 * over another connection whether it is busy for the one that waits.
 */
export class ConnectionWatch {
  readonly #connectionString: string
  readonly #pools: readonly WatchedConnections[]
  readonly #timing: WatchTiming
  readonly #onSilenced: (connections: number) => void
  readonly #timer: NodeJS.Timeout
  /** How often in a row a wait was found that the database knows nothing of. */
  #looks = new Map<string, number>()
  #isLooking = false

  constructor(
    connectionString: string,
    pools: readonly WatchedConnections[],
    onSilenced: (connections: number) => void,
    timing: WatchTiming,
  ) {
    this.#connectionString = connectionString
    this.#pools = pools
    this.#onSilenced = onSilenced
    this.#timing = timing
    this.#timer = setInterval(() => this.#start(), timing.everyMs)
    this.#timer.unref()
  }

  stop() {
    clearInterval(this.#timer)
  }

  #start() {
    if (this.#isLooking) return
    this.#isLooking = true
    void this.#look().finally(() => (this.#isLooking = false))
  }

  async #look() {
    const waits = this.#waits()
    if (waits.length === 0) return this.#looks.clear()
    const states = await this.#ask(statesOf, waits)
    const still = new Set(this.#waits().map(nameOf))
    const unserved = waits.filter((wait) => still.has(nameOf(wait)) && isUnserved(wait, states))
    this.#looks = new Map(
      unserved.map((wait) => [nameOf(wait), (this.#looks.get(nameOf(wait)) ?? 0) + 1] as const),
    )
    const overdueMs = performance.now() - this.#timing.givenUpAfterMs
    const silenced = waits.filter(
      (wait) => wait.sinceMs < overdueMs || (this.#looks.get(nameOf(wait)) ?? 0) >= looksBeforeGivenUp,
    )
    if (silenced.length > 0) await this.#giveUp(silenced)
  }

  /** What silenced one has silenced others, so those that nobody uses now go too. */
  async #giveUp(silenced: readonly Wait[]) {
    this.#onSilenced(silenced.length)
    await this.#ask(endIdle, silenced)
    const clients = new Set(silenced.map(({ client }) => client))
    for (const pool of this.#pools) {
      for (const { client } of pool.longerThan(0)) if (clients.has(client)) pool.giveUp(client)
      pool.giveUpIdle()
    }
  }

  #waits(): Wait[] {
    return this.#pools.flatMap((pool) => pool.longerThan(this.#timing.suspectAfterMs))
  }

  async #ask(text: string, waits: readonly Wait[]): Promise<States> {
    const { answersWithinMs } = this.#timing
    const client = new Client({
      connectionString: this.#connectionString,
      application_name: 'switchroom-watch',
      connectionTimeoutMillis: answersWithinMs,
      query_timeout: answersWithinMs,
    })
    client.on('error', () => {})
    try {
      await client.connect()
      const { rows } = await client.query(text, [waits.map(({ pid }) => pid)])
      return new Map(rows.map(({ pid, state }: { pid: number; state: string | null }) => [pid, state]))
    } catch (error) {
      return error instanceof DatabaseError ? 'refused' : 'unreached'
    } finally {
      await Promise.race([client.end().catch(() => {}), pause(answersWithinMs, undefined, { ref: false })])
    }
  }
}

const nameOf = ({ pid, sinceMs }: Wait) => `${pid} ${sinceMs}`

/** A database that is not reached serves nothing; one that does not say what it does is taken to serve. */
function isUnserved({ pid }: Wait, states: States): boolean {
  if (typeof states === 'string') return states === 'unreached'
  const state = states.get(pid)
  return state === undefined || state?.startsWith('idle') === true
}
