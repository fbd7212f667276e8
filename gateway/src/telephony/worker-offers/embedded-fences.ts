import type { FencesAsked } from '@switchroom/contract/media-plane'
import type { FenceKeeper, FenceRows, KeptFence } from '@switchroom/media/embedded'
import type { Database, Transaction } from '../../database/database.ts'
import type { Signals } from '../../database/signals.ts'
import { later, secondMs, type Clock } from '../../foundation/clock.ts'
import type { Vault } from '../../foundation/sealing.ts'
import type { SharedAnswer } from '../../http/shared-answer.ts'
import * as store from './embedded-fences.store.ts'
import { changesAnswer, FenceLists, placeOf } from './fence-lists.ts'
import { FenceVersions } from './fence-versions.ts'
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
  readonly #versions: FenceVersions
  readonly #lists: FenceLists
  readonly #wakeups = new Wakeups()

  constructor(parts: EmbeddedFencesParts) {
    this.#parts = parts
    this.#versions = new FenceVersions(parts.database)
    this.#lists = new FenceLists(parts.database, parts.vault)
    const wake = () => this.#wakeups.wakeAll()
    parts.signals.on(store.fencesChannel, wake, wake)
  }

  async all(): Promise<KeptFence[]> {
    return this.#opened(await store.readFences(this.#parts.database))
  }

  orgs(): Promise<string[]> {
    return store.readOrgs(this.#parts.database)
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
  async forWorkers(asked: FencesAsked, gone: AbortSignal): Promise<SharedAnswer> {
    const { clock } = this.#parts
    const until = later(clock.now(), longestWaitMs)
    for (;;) {
      const woken = this.#wakeups.next(asked.env)
      const version = await this.#versions.latest(asked.env)
      const isKnown = (await this.#nameFor(asked, version)) === asked.after
      const isOver = () => !isKnown || gone.aborted || clock.now() >= until
      while (!isOver() && !(await woken.within(secondMs, gone)));
      if (isOver()) return this.#answer(asked, version)
    }
  }

  /** What the worker calls this version. */
  async #nameFor({ env, changes }: FencesAsked, version: string): Promise<string> {
    return changes ? version : (await this.#lists.whole(env, version)).digest
  }

  async #answer({ env, after, changes }: FencesAsked, version: string): Promise<SharedAnswer> {
    if (!changes) return (await this.#lists.whole(env, version)).answerWithDigest
    if (after === version) return changesAnswer(version)
    const different = after !== undefined && (await this.#lists.changes(env, after, version))
    return different || (await this.#lists.whole(env, version)).answer
  }

  #rowsIn(tx: Transaction): FenceRows {
    const announce = () => tx.afterCommit(() => this.#parts.signals.send(store.fencesChannel))
    return {
      ofScopes: async (scopes) => this.#opened(await store.readFencesOf(tx, scopes)),
      listedElsewhere: async (numbers, scopes) =>
        (await store.readListedElsewhere(tx, numbers, scopes)).map(({ number }) => number),
      anyListedElsewhere: async (numbers, scopes) =>
        (await store.findAnyListedElsewhere(tx, numbers, scopes))?.number,
      put: async (fence) => {
        await store.putFence(tx, this.#sealed(fence))
        announce()
      },
      drop: async (name) => {
        await store.dropFence(tx, name)
        announce()
      },
      putAll: async (fences) => {
        await store.putFences(
          tx,
          fences.map((fence) => this.#sealed(fence)),
        )
        announce()
      },
      dropAll: async (names) => {
        await store.dropFences(tx, names)
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
