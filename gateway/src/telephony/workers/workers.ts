import type { BeatTold, WorkerBeat, WorkerList } from '@switchroom/contract/media-plane'
import type { Environment } from '@switchroom/contract/scopes'
import type { Database } from '../../database/database.ts'
import { later, secondMs, type Clock } from '../../foundation/clock.ts'
import * as store from './workers.store.ts'

/** They beat every ten seconds. */
const lostAfterMs = 30 * secondMs

/** The platform's workers, as they say of themselves. */
export class Workers {
  readonly #database: Database
  readonly #clock: Clock

  constructor(database: Database, clock: Clock) {
    this.#database = database
    this.#clock = clock
  }

  async beat(told: WorkerBeat): Promise<BeatTold> {
    await store.keepBeat(this.#database, told, this.#clock.now(), this.#silentSince)
    return { full: await this.areFull(told) }
  }

  /** Those that live. */
  async list(): Promise<WorkerList> {
    return { workers: await store.listLiving(this.#database, this.#silentSince) }
  }

  /** Whether no worker could run one more call. Where none beats, others run the calls, and nobody knows. */
  async areFull({ env }: { env: Environment }): Promise<boolean> {
    const found = await store.findRoom(this.#database, env, this.#silentSince)
    return found?.is_known === true && !found.has_room
  }

  /** Whether every worker runs more calls than it should: one that goes on with another agent keeps its own place. */
  async areOverfull({ env }: { env: Environment }): Promise<boolean> {
    return (await store.findRoom(this.#database, env, this.#silentSince))?.is_overfull === true
  }

  async deleteExpired() {
    await store.forgetSilent(this.#database, this.#silentSince)
  }

  get #silentSince(): Date {
    return later(this.#clock.now(), -lostAfterMs)
  }
}
