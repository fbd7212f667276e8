import type { Queryable } from '../../database/database.ts'
import { later, minuteMs, type Clock } from '../../foundation/clock.ts'
import * as store from './claims.store.ts'

/** A message that was read for this long is read no more, if it is not known whether its gateway lives. */
const deadAfterMs = 10 * minuteMs
/** A claim waits for the transaction that writes its row, and only so many others with it. */
const insertsAtOnce = 2

interface Wanted {
  org: string
  messageId: string
  /** Since when the claim is the caller's; null if it was not given. */
  settle: (claimedAt: Date | null) => void
  fail: (error: unknown) => void
}

/** Claims that come while others are being inserted go together into the next statement. */
export class ClaimQueue {
  readonly #database: Queryable
  readonly #clock: Clock
  readonly #gateway: string
  #queued: Wanted[] = []
  #underWay = 0

  constructor(database: Queryable, clock: Clock, gateway: string) {
    this.#database = database
    this.#clock = clock
    this.#gateway = gateway
  }

  take(org: string, messageId: string): Promise<Date | null> {
    return new Promise((settle, fail) => {
      this.#queued.push({ org, messageId, settle, fail })
      this.#insertNext()
    })
  }

  #insertNext() {
    if (this.#underWay >= insertsAtOnce || this.#queued.length === 0) return
    const batch = Map.groupBy(this.#queued, keyOf)
    this.#queued = [...batch.values()].flatMap(([, ...repeated]) => repeated) // one row is written once in a statement
    this.#underWay += 1
    void this.#insertAll([...batch.values()].flatMap(([first]) => first ?? [])).finally(() => {
      this.#underWay -= 1
      this.#insertNext()
    })
  }

  async #insertAll(batch: readonly Wanted[]) {
    try {
      await this.#insert(batch)
    } catch (error) {
      const [alone, ...others] = batch
      if (others.length === 0) alone?.fail(error)
      else for (const wanted of batch) await this.#insertAll([wanted]) // so that one failure harms no other
    }
  }

  async #insert(batch: readonly Wanted[]) {
    const now = this.#clock.now()
    const given = await store.insertClaims(
      this.#database,
      batch.map(({ org }) => org),
      batch.map(({ messageId }) => messageId),
      now,
      later(now, -deadAfterMs),
      this.#gateway,
    )
    const keys = new Set(given.map(({ org, message_id }) => keyOf({ org, messageId: message_id })))
    for (const wanted of batch) wanted.settle(keys.has(keyOf(wanted)) ? now : null)
  }
}

const keyOf = ({ org, messageId }: Pick<Wanted, 'org' | 'messageId'>) => `${org} ${messageId}`
