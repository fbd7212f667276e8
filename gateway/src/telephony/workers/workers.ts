import type { BeatTold, WorkerBeat, WorkerList } from '@switchroom/contract/media-plane'
import type { Environment } from '@switchroom/contract/scopes'
import type { Database, Queryable } from '../../database/database.ts'
import { later, secondMs, type Clock } from '../../foundation/clock.ts'
import * as store from './workers.store.ts'

/** Workers send a heartbeat every ten seconds. */
const lostAfterMs = 30 * secondMs

/** The platform's workers, by their heartbeats. */
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

  /** Workers whose heartbeat is recent. */
  async list(): Promise<WorkerList> {
    return { workers: await store.listLiving(this.#database, this.#silentSince) }
  }

  /** Whether no worker can take one more call; false if none sends heartbeats, for then workers of orgs run the calls. */
  async areFull({ env }: { env: Environment }): Promise<boolean> {
    const found = await store.findRoom(this.#database, env, this.#silentSince)
    return found?.is_known === true && !found.has_room
  }

  /** Whether every worker runs more calls than its capacity: a call that another agent takes over keeps its own place. */
  async areOverfull({ env }: { env: Environment }): Promise<boolean> {
    return (await store.findRoom(this.#database, env, this.#silentSince))?.is_overfull === true
  }

  async deleteExpired(database: Queryable = this.#database) {
    await store.forgetSilent(database, this.#silentSince)
  }

  get #silentSince(): Date {
    return later(this.#clock.now(), -lostAfterMs)
  }
}
