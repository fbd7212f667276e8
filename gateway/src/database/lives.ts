import { dayMs } from '../foundation/clock.ts'
import { lifeSettings, type Aging, type SetLives } from '../foundation/retention-settings.ts'
import type { Queryable } from './database.ts'
import { readUsualLives } from './deployment.store.ts'

/** For how long what ages is kept: as the operator set it, else as it was usual when the deployment began. */
export class Lives {
  readonly #database: Queryable
  readonly #set: SetLives

  constructor(database: Queryable, set: SetLives) {
    this.#database = database
    this.#set = set
  }

  /** Undefined for ever. */
  async keptMs(aging: Aging): Promise<number | undefined> {
    return (await this.#days())[aging] * dayMs || undefined
  }

  /** What an operator reads at every start. */
  async sentence(): Promise<string> {
    const days = await this.#days()
    const kept = (aging: Aging) =>
      `${days[aging] === 0 ? 'for ever' : `for ${days[aging]} days`} (${lifeSettings[aging]})`
    return `logs of ended calls are kept ${kept('logs')}, records of calls ${kept('calls')}, dials ${kept('dials')}, revoked keys ${kept('keys')}`
  }

  async #days(): Promise<Record<Aging, number>> {
    return { logs: 0, calls: 0, dials: 0, keys: 0, ...(await readUsualLives(this.#database)), ...this.#set }
  }
}
