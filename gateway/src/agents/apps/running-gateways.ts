import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import type { Logger } from 'pino'
import type { Database, Queryable, Transaction } from '../../database/database.ts'
import {
  deadAfterMs,
  deletedAfterMs,
  heartbeatEveryMs,
  type LiveGateways,
} from '../../database/gateway-liveness.ts'
import { later, type Clock } from '../../foundation/clock.ts'
import { newId } from '../../foundation/secrets.ts'
import * as store from './running-gateways.store.ts'

/** This gateway among those of the deployment: what it holds counts for as long as it says that it lives. */
export class RunningGateways {
  readonly id = newId('gw', 8)
  readonly #database: Database
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #vaultKey: string
  #isListed = false
  readonly heartbeat: PeriodicTask = {
    name: 'send heartbeat',
    everyMs: heartbeatEveryMs,
    run: () => this.beat(),
  }
  /** Called when the others took this one for dead and forgot what it held. */
  onForgotten: () => void = () => {}
  /** Called with what was held by apps of gateways that died, once and by one gateway. */
  onLost: (holdings: readonly store.LostHolding[]) => void = () => {}

  constructor(database: Database, clock: Clock, logger: Logger, vaultKey: string) {
    this.#database = database
    this.#clock = clock
    this.#logger = logger
    this.#vaultKey = vaultKey
  }

  async start() {
    await store.insertGateway(this.#database, this.id, this.#clock.now(), this.#vaultKey)
    this.#isListed = true
  }

  async beat() {
    const now = this.#clock.now()
    if (await store.seeGateway(this.#database, this.id, now)) return
    await store.insertGateway(this.#database, this.id, now, this.#vaultKey)
    this.onForgotten()
  }

  /** Takes everything that this gateway held with it. */
  async stop() {
    if (!this.#isListed) return
    await store
      .deleteGateway(this.#database, this.id)
      .catch((error: unknown) => this.#logger.warn({ err: error }, 'what this gateway held is still listed'))
  }

  /** The gateways that are alive now, as the statements of stores take them. */
  get alive(): LiveGateways {
    return { own: this.id, since: later(this.#clock.now(), -deadAfterMs) }
  }

  /** How many gateways may seal with another vault key than this one. */
  sealingOtherwise(database: Queryable): Promise<number> {
    return store.countSealingOtherwise(database, this.#vaultKey)
  }

  /** Whether another gateway has neither the lock nor the heartbeat of one that lives. */
  async isDead(id: string): Promise<boolean> {
    return id !== this.id && (await store.isDead(this.#database, id, this.alive.since))
  }

  /** Gateways that are known to be dead, before their time is over. */
  async forget(tx: Transaction, ids: readonly string[]) {
    const lost = await store.forgetGateways(tx, ids)
    tx.afterCommit(() => this.onLost(lost))
  }

  async deleteExpired() {
    const before = later(this.#clock.now(), -deletedAfterMs)
    this.onLost(await store.forgetOthers(this.#database, this.id, before))
  }
}
