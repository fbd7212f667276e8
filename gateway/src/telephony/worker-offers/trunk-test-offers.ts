import type { TellTrunkTest } from '@switchroom/contract/media-plane'
import type { TrunkTestTask } from '@switchroom/contract/trunk-tests'
import type { Database, Queryable } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { hourMs, later, secondMs, type Clock } from '../../foundation/clock.ts'
import { conflict } from '../../foundation/refusals.ts'
import type { SealedPlace, Vault } from '../../foundation/sealing.ts'
import * as store from './trunk-test-offers.store.ts'
import type { WorkerNotifier } from './worker-notifier.ts'

/** Workers with a place for a call wait for work, so that one that can test a trunk takes it at once. */
const takenWithinMs = 10 * secondMs
/** How long a call of a test may ring and sound. */
const calledForMs = 90 * secondMs
/** How often a waiting request looks at the clock. */
const pollEveryMs = secondMs
const keptMs = hourMs

export interface TrunkTestOfferParts {
  database: Database
  clock: Clock
  vault: Vault
  notifier: WorkerNotifier
}

/** What became of an offer: what a worker found, or that no worker took it, or that the one that did says nothing. */
export type TestReport = store.WorkersReport | 'untaken' | 'untold'

/** Tests of trunks that wait for a worker: each is run by one of them. */
export class TrunkTestOffers {
  readonly #parts: TrunkTestOfferParts

  constructor(parts: TrunkTestOfferParts) {
    this.#parts = parts
  }

  /** Has a worker run it, and answers what it found; what is given up is not run later. */
  async run(task: TrunkTestTask, withinS: number, gone: AbortSignal): Promise<TestReport> {
    const { database, clock, vault, notifier } = this.#parts
    const { id, org, env, call } = task
    const sealed = vault.seal(JSON.stringify(task), placeOf(id))
    const numbers = { called: call?.to ?? null, caller: call?.from ?? null }
    await store.insertOffer(database, { id, org, env, sealed, ...numbers }, clock.now())
    notifier.offered(env)
    const isTaken = await this.#until(id, takenWithinMs, gone, ({ worker }) => worker !== null)
    if (isTaken) await this.#until(id, withinS * secondMs, gone, ({ report }) => report !== null)
    const report = (await store.readOffer(database, id))?.report
    if (report) return report
    await store.closeOffer(database, id)
    return isTaken ? 'untold' : 'untaken'
  }

  /** One for this worker: of its own org; for a worker of the platform, of any org. */
  async takeNext({ env, org, kind }: Caller, worker: string): Promise<TrunkTestTask | undefined> {
    const { database, clock, vault, notifier } = this.#parts
    const since = later(clock.now(), -takenWithinMs)
    const taken = await store.takeOffer(database, env, kind === 'fleet' ? '' : org, since, worker)
    if (taken) notifier.moved(taken.id)
    return taken && (JSON.parse(vault.open(taken.sealed, placeOf(taken.id))) as TrunkTestTask)
  }

  async giveBack(id: string, worker: string) {
    const given = await store.giveBackOffer(this.#parts.database, id, worker)
    if (given) this.#parts.notifier.offered(given.env)
  }

  /** What the worker found, once. */
  async tell(
    { org, kind }: Caller,
    id: string,
    { worker, ...report }: TellTrunkTest,
  ): Promise<{ id: string }> {
    const told = await store.tellOffer(this.#parts.database, id, worker, kind === 'fleet' ? '' : org, report)
    if (!told) throw conflict(`the test ${id} is over, or another worker runs it`)
    this.#parts.notifier.moved(id)
    return { id }
  }

  /** Whether a call between the two is that of a test, so that it is answered with its own sound. */
  async isCalled(called: string, caller: string): Promise<boolean> {
    const { database, clock } = this.#parts
    const since = later(clock.now(), -calledForMs)
    return (await store.findCalled(database, called, caller, since)) !== undefined
  }

  async deleteExpired(database: Queryable = this.#parts.database) {
    await store.deleteOffers(database, later(this.#parts.clock.now(), -keptMs))
  }

  async #until(
    id: string,
    withinMs: number,
    gone: AbortSignal,
    isReached: (state: store.OfferState) => boolean,
  ): Promise<boolean> {
    const { database, clock, notifier } = this.#parts
    const until = later(clock.now(), withinMs)
    for (;;) {
      const woken = notifier.forCalls.next(id)
      const state = await store.readOffer(database, id)
      if (!state) return false
      if (isReached(state)) return true
      if (gone.aborted || clock.now() >= until) return false
      await woken.within(pollEveryMs, gone)
    }
  }
}

export const placeOf = (id: string): SealedPlace => `trunk_test_offers:${id}:sealed`
