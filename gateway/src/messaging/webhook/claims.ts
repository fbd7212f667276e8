import type { Database, Transaction } from '../../database/database.ts'
import { later, weekMs, type Clock } from '../../foundation/clock.ts'
import { ClaimQueue } from './claim-queue.ts'
import * as store from './claims.store.ts'

const forgottenAtOnce = 5000

/** The right to read a message, from the moment it was given. */
export interface Claim {
  org: string
  messageId: string
  claimedAt: Date
}

/** The claim went to somebody else while the message was being read. */
export class ClaimLost extends Error {}

/** Which messages were read, or are being read: each once, however often it is delivered. */
export class Claims {
  readonly #database: Database
  readonly #clock: Clock
  readonly #queue: ClaimQueue

  constructor(database: Database, clock: Clock) {
    this.#database = database
    this.#clock = clock
    this.#queue = new ClaimQueue(database, clock)
  }

  /** The claim, or what keeps it from being given. */
  async take(org: string, messageId: string): Promise<Claim | 'read' | 'being read'> {
    const claimedAt = await this.#queue.take(org, messageId)
    if (claimedAt) return { org, messageId, claimedAt }
    const other = await store.findClaim(this.#database, org, messageId)
    return other?.is_read ? 'read' : 'being read' // one given back this instant is for the next delivery to read
  }

  /** In the transaction that puts the message where it belongs. */
  async read(tx: Transaction, { org, messageId, claimedAt }: Claim) {
    if (!(await store.markRead(tx, org, messageId, claimedAt, this.#clock.now()))) throw new ClaimLost()
  }

  async giveBack({ org, messageId, claimedAt }: Claim) {
    await store.deleteClaim(this.#database, org, messageId, claimedAt)
  }

  /** The platform delivers nothing for longer. Answers how many are gone. */
  async forget(signal: AbortSignal): Promise<number> {
    const before = later(this.#clock.now(), -weekMs)
    for (let gone = 0; ;) {
      if (signal.aborted) return gone
      const some = await store.forgetSome(this.#database, before, forgottenAtOnce)
      gone += some
      if (some === 0) return gone
    }
  }
}
