import { inBatches } from '../../database/batches.ts'
import type { Database } from '../../database/database.ts'
import type { Lives } from '../../database/lives.ts'
import { later, type Clock } from '../../foundation/clock.ts'
import * as store from './old-dials.store.ts'

const dialsAtOnce = 1000

/** Deletes dials that are older than the operator keeps the ledger. Consents and opt-outs are never deleted. */
export class OldDials {
  readonly #database: Database
  readonly #clock: Clock
  readonly #lives: Pick<Lives, 'keptMs'>

  constructor(database: Database, clock: Clock, lives: Pick<Lives, 'keptMs'>) {
    this.#database = database
    this.#clock = clock
    this.#lives = lives
  }

  /** Answers how many were deleted. */
  async forget(signal: AbortSignal): Promise<number> {
    const keptMs = await this.#lives.keptMs('dials')
    if (keptMs === undefined) return 0
    const before = later(this.#clock.now(), -keptMs)
    return inBatches(signal, () =>
      this.#database.transaction(async (tx) => {
        await store.allowDeleting(tx)
        return store.deleteSome(tx, before, dialsAtOnce)
      }),
    )
  }
}
