import { createHash } from 'node:crypto'
import type { WorkerFences } from '@switchroom/contract/media-plane'
import type { Environment } from '@switchroom/contract/scopes'
import type { FenceKeeper, FenceRows, KeptFence } from '@switchroom/media/embedded'
import type { Database, Transaction } from '../../database/database.ts'
import type { Signals } from '../../database/signals.ts'
import { later, secondMs, type Clock } from '../../foundation/clock.ts'
import type { SealedPlace, Vault } from '../../foundation/sealing.ts'
import * as store from './embedded-fences.store.ts'
import { Wakeups } from './wakeups.ts'

const longestWaitMs = 25 * secondMs

export interface EmbeddedFencesParts {
  database: Database
  clock: Clock
  vault: Vault
  signals: Signals
}

/** The fences of the embedded media plane: workers let calls in by them. */
export class EmbeddedFences implements FenceKeeper {
  readonly #parts: EmbeddedFencesParts
  readonly #wakeups = new Wakeups()

  constructor(parts: EmbeddedFencesParts) {
    this.#parts = parts
    const wake = () => this.#wakeups.wakeAll()
    parts.signals.on(store.fencesChannel, wake, wake)
  }

  async all(): Promise<KeptFence[]> {
    return this.#opened(await store.readFences(this.#parts.database))
  }

  async ofScopes(scopes: readonly string[]): Promise<KeptFence[]> {
    return this.#opened(await store.readFencesOf(this.#parts.database, scopes))
  }

  async change<T>(work: (rows: FenceRows) => Promise<T>): Promise<T> {
    return this.#parts.database.transaction(async (tx) => {
      await store.lockFences(tx)
      return work(this.#rowsIn(tx))
    })
  }

  /** What a worker of the environment lets in; with a version that it has, once there is another. */
  async forWorkers(env: Environment, known: string | undefined, gone: AbortSignal): Promise<WorkerFences> {
    const { clock } = this.#parts
    const until = later(clock.now(), longestWaitMs)
    for (;;) {
      const woken = this.#wakeups.next(env)
      const fences = await this.#read(env)
      const isOver = () => fences.version !== known || gone.aborted || clock.now() >= until
      while (!isOver() && !(await woken.within(secondMs, gone)));
      if (isOver()) return fences
    }
  }

  async #read(env: Environment): Promise<WorkerFences> {
    const kept = this.#opened(await store.readFencesIn(this.#parts.database, env))
    const fences = kept.map(({ scope: _scope, networks, numbers, pair, ...fence }) => ({
      ...fence,
      networks: [...networks],
      numbers: [...numbers],
      pair: pair ?? null,
    }))
    return { version: createHash('sha256').update(JSON.stringify(fences)).digest('base64url'), fences }
  }

  #rowsIn(tx: Transaction): FenceRows {
    const announce = () => tx.afterCommit(() => this.#parts.signals.send(store.fencesChannel))
    return {
      ofScopes: async (scopes) => this.#opened(await store.readFencesOf(tx, scopes)),
      listedElsewhere: async (numbers, scopes) =>
        (await store.readListedElsewhere(tx, numbers, scopes)).map(({ number }) => number),
      put: async (fence) => {
        await store.putFence(tx, this.#sealed(fence))
        announce()
      },
      drop: async (name) => {
        await store.dropFence(tx, name)
        announce()
      },
    }
  }

  #sealed({ name, scope, networks, numbers, pair, fleet, ...terms }: KeptFence): store.FenceRow {
    const sealed = pair ? this.#parts.vault.seal(JSON.stringify(pair), placeOf(name)) : null
    return { name, scope, networks: [...networks], numbers: [...numbers], pair: sealed, fleet, terms }
  }

  #opened(rows: readonly store.FenceRow[]): KeptFence[] {
    return rows.map(({ pair, terms, ...fence }) => ({
      ...fence,
      ...terms,
      ...(pair && {
        pair: JSON.parse(this.#parts.vault.open(pair, placeOf(fence.name))) as KeptFence['pair'] & {},
      }),
    }))
  }
}

export const placeOf = (name: string): SealedPlace => `fences:${name}:pair`
