import { secondMs } from '../foundation/clock.ts'
import { statementTimeoutMs } from './session-settings.ts'
import type { Backends, States } from './watched-backends.ts'
import type { Wait, WatchedConnections } from './watched-connections.ts'

export interface WatchTiming {
  /** How often it looks. */
  everyMs: number
  /** A statement that takes longer is looked into. */
  suspectAfterMs: number
  /** After so long a statement has no answer to wait for, whatever the database says. */
  givenUpAfterMs: number
}

/** How long the database may take to say what it does for us. */
export const backendsAnswerWithinMs = 3 * secondMs

export const usualWatch: WatchTiming = {
  everyMs: secondMs,
  suspectAfterMs: 2 * secondMs,
  givenUpAfterMs: statementTimeoutMs + 5 * secondMs,
}

/** Twice, because an answer may be under way, or this process may just have stood still. */
const looksBeforeGivenUp = 2

/**
 * Finds connections that a network has silenced. A slow statement looks the same from here, so the database is asked
 * over another connection whether it is busy for the one that waits.
 */
export class ConnectionWatch {
  readonly #backends: Backends
  readonly #pools: readonly WatchedConnections[]
  readonly #timing: WatchTiming
  readonly #onSilenced: (connections: number) => void
  readonly #timer: NodeJS.Timeout
  /** How often in a row a wait was found that the database knows nothing of. */
  #looks = new Map<string, number>()
  #isLooking = false

  constructor(
    backends: Backends,
    pools: readonly WatchedConnections[],
    onSilenced: (connections: number) => void,
    timing: WatchTiming,
  ) {
    this.#backends = backends
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
    const states = await this.#backends.states(waits)
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
    await this.#backends.endIdle(silenced)
    const clients = new Set(silenced.map(({ client }) => client))
    for (const pool of this.#pools) {
      for (const { client } of pool.longerThan(0)) if (clients.has(client)) pool.giveUp(client)
      pool.giveUpIdle()
    }
  }

  #waits(): Wait[] {
    return this.#pools.flatMap((pool) => pool.longerThan(this.#timing.suspectAfterMs))
  }
}

const nameOf = ({ pid, sinceMs }: Wait) => `${pid} ${sinceMs}`

/** A database that is not reached serves nothing; one that does not say what it does is taken to serve. */
function isUnserved({ pid }: Wait, states: States): boolean {
  if (typeof states === 'string') return states === 'unreached'
  const state = states.get(pid)
  return state === undefined || state?.startsWith('idle') === true
}
