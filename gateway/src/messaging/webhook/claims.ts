import type { RunningGateways } from '../../agents/apps/running-gateways.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { later, weekMs, type Clock } from '../../foundation/clock.ts'
import { ClaimQueue } from './claim-queue.ts'
import * as store from './claims.store.ts'

const forgottenAtOnce = 5000

/** The right to read a message, from the moment it was given. */
export type Claim = store.ClaimKey

/** Another gateway took the claim over while the message was being read. */
export class ClaimLost extends Error {}

/** Which messages were read, or are being read: each once, however often it is delivered. */
export class Claims {
  readonly #database: Database
  readonly #clock: Clock
  readonly #gateways: Pick<RunningGateways, 'id' | 'isDead'>
  readonly #queue: ClaimQueue

  constructor(database: Database, clock: Clock, gateways: Pick<RunningGateways, 'id' | 'isDead'>) {
    this.#database = database
    this.#clock = clock
    this.#gateways = gateways
    this.#queue = new ClaimQueue(database, clock, gateways.id)
  }

  /** The claim, or what keeps it from being given. */
  async take(org: string, messageId: string): Promise<Claim | 'read' | 'being read'> {
    const claimedAt = await this.#queue.take(org, messageId)
    if (claimedAt) return { org, messageId, claimedAt, gateway: this.#gateways.id }
    const other = await store.findClaim(this.#database, org, messageId)
    if (other?.is_read) return 'read'
    const ofDead = other?.gateway && (await this.#takeOver(org, messageId, other.gateway))
    return ofDead || 'being read' // one given back at this moment is read by the next delivery
  }

  /** Undefined if its gateway lives, or another delivery took it first. */
  async #takeOver(org: string, messageId: string, gateway: string): Promise<Claim | undefined> {
    if (!(await this.#gateways.isDead(gateway))) return undefined
    const [claimedAt, own] = [this.#clock.now(), this.#gateways.id]
    const taken = await store.takeOverClaim(this.#database, { org, messageId }, gateway, own, claimedAt)
    return taken && { org, messageId, claimedAt, gateway: own }
  }

  /** In the transaction that puts the message where it belongs. */
  async read(tx: Transaction, claim: Claim) {
    if (!(await store.markRead(tx, claim, this.#clock.now()))) throw new ClaimLost()
  }

  async giveBack(claim: Claim) {
    await store.deleteClaim(this.#database, claim)
  }

  /** The platform delivers nothing for longer. Answers how many are gone. */
  async forget(signal: AbortSignal, database: Database = this.#database): Promise<number> {
    const before = later(this.#clock.now(), -weekMs)
    for (let gone = 0; ;) {
      if (signal.aborted) return gone
      const some = await store.forgetSome(database, before, forgottenAtOnce)
      gone += some
      if (some === 0) return gone
    }
  }
}
