import { inBatches } from '../../database/batches.ts'
import type { Database } from '../../database/database.ts'
import type { Lives } from '../../database/lives.ts'
import { later, type Clock } from '../../foundation/clock.ts'
import * as store from './revoked-keys.store.ts'

const keysAtOnce = 100

/** Deletes keys that were revoked before the operator's retention time. One that only expired says so for ever. */
export class RevokedKeys {
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
    const keptMs = await this.#lives.keptMs('keys')
    if (keptMs === undefined) return 0
    const before = later(this.#clock.now(), -keptMs)
    return inBatches(signal, () => store.deleteSome(this.#database, before, keysAtOnce))
  }
}
