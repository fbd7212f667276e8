import type { Pool, PoolClient } from 'pg'

/** A connection that has been asked something and has said nothing since. */
export interface Wait {
  readonly client: PoolClient
  /** The process that serves it, on the database's side; over a pooler, a number that the pooler made up. */
  readonly pid: number
  /** What the other side wants to see before it cancels anything. */
  readonly secretKey: number
  readonly sinceMs: number
}

interface Asked {
  waiting: number
  sinceMs: number
}

/** What the driver's types leave out. */
interface Driver {
  processID: number
  secretKey: number
  connection: { stream: { destroy: (error?: Error) => void } }
}

const driverOf = (client: PoolClient) => client as unknown as Driver

/** The connections of a pool, and since when each has owed an answer. */
export class WatchedConnections {
  readonly #pool: Pool
  readonly #asked = new Map<PoolClient, Asked>()

  constructor(pool: Pool) {
    this.#pool = pool
    pool.on('connect', (client) => void this.#asked.set(client, { waiting: 0, sinceMs: 0 }))
    pool.on('remove', (client) => void this.#asked.delete(client))
  }

  begin(client: PoolClient) {
    const asked = this.#asked.get(client)
    if (!asked) return
    if (asked.waiting === 0) asked.sinceMs = performance.now()
    asked.waiting += 1
  }

  end(client: PoolClient) {
    const asked = this.#asked.get(client)
    if (!asked) return
    asked.waiting -= 1
    asked.sinceMs = performance.now() // it has just answered
  }

  longerThan(waitMs: number): Wait[] {
    const beforeMs = performance.now() - waitMs
    return [...this.#asked].flatMap(([client, { waiting, sinceMs }]) => {
      if (waiting === 0 || sinceMs >= beforeMs) return []
      const { processID: pid, secretKey } = driverOf(client)
      return [{ client, pid, secretKey, sinceMs }]
    })
  }

  /** Ends it without a word to the other side, which may never hear it: what waits for an answer fails. */
  giveUp(client: PoolClient) {
    driverOf(client).connection.stream.destroy(new Error('Connection terminated: it does not answer'))
  }

  giveUpAll() {
    for (const client of this.#asked.keys()) this.giveUp(client)
  }

  /** Every connection that nobody uses now; the next statement opens another. */
  giveUpIdle() {
    for (let idle = this.#pool.idleCount; idle > 0; idle -= 1)
      this.#pool.connect((_error, client) => {
        if (!client) return
        this.giveUp(client)
        client.release(true)
      })
  }
}
