import { connect } from 'node:net'
import type { PoolClient } from 'pg'
import { secondMs } from '../foundation/clock.ts'
import { statementTimeoutMs } from './session-settings.ts'
import type { Wait, WatchedConnections } from './watched-connections.ts'

const cancelRequest = 80_877_102
/** Longer than PgBouncer tries to cancel: 1.18 dies of a client that closes this connection first. */
const closedWithinMs = 60 * secondMs

export interface LimitTiming {
  everyMs: number
  /** Later than PostgreSQL's own limit of a statement in a transaction, so that only others are cancelled. */
  cancelledAfterMs: number
}

const usualTiming: LimitTiming = { everyMs: secondMs, cancelledAfterMs: statementTimeoutMs + secondMs }

/** Cancels statements that take too long over a pooler, which has no limit of its own that we could set. */
export class StatementLimit {
  readonly #pools: readonly WatchedConnections[]
  readonly #cancelledAfterMs: number
  readonly #timer: NodeJS.Timeout
  /** The statements that were cancelled already, by when their connections began to wait. */
  #cancelled = new Map<PoolClient, number>()

  constructor(
    pools: readonly WatchedConnections[],
    { everyMs, cancelledAfterMs }: LimitTiming = usualTiming,
  ) {
    this.#pools = pools
    this.#cancelledAfterMs = cancelledAfterMs
    this.#timer = setInterval(() => this.#look(), everyMs)
    this.#timer.unref()
  }

  stop() {
    clearInterval(this.#timer)
  }

  #look() {
    const late = this.#pools.flatMap((pool) => pool.longerThan(this.#cancelledAfterMs))
    for (const wait of late) if (this.#cancelled.get(wait.client) !== wait.sinceMs) cancel(wait)
    this.#cancelled = new Map(late.map(({ client, sinceMs }) => [client, sinceMs]))
  }
}

/** As PostgreSQL's protocol has it: over a connection of its own, by what the pooler said when the first one was opened. */
function cancel({ client, pid, secretKey }: Wait) {
  const request = Buffer.alloc(16)
  for (const [place, word] of [16, cancelRequest, pid, secretKey].entries())
    request.writeInt32BE(word, place * 4)
  const { host, port } = client
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
  socket.setTimeout(closedWithinMs, () => socket.destroy())
  socket.on('error', () => {}) // what is not cancelled is given up later
  socket.unref()
  socket.resume() // until the other side closes it
  socket.write(request)
}
