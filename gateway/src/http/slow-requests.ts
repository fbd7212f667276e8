import { tooMany } from '../foundation/refusals.ts'

const againAfterS = 2

/** How many requests of a kind that may take long an org has under way at this gateway. */
export class SlowRequests {
  readonly #perOrg: number
  readonly #running = new Map<string, number>()

  constructor(perOrg: number) {
    this.#perOrg = perOrg
  }

  /** Refused while the org has as many under way as it may. */
  async run<T>(org: string, work: () => Promise<T>): Promise<T> {
    const running = this.#running.get(org) ?? 0
    if (running >= this.#perOrg)
      throw tooMany(
        `this org has ${running} searches, comparisons or erasures under way: try again in ${againAfterS} seconds`,
        againAfterS,
      )
    this.#running.set(org, running + 1)
    try {
      return await work()
    } finally {
      const left = (this.#running.get(org) ?? 1) - 1
      if (left === 0) this.#running.delete(org)
      else this.#running.set(org, left)
    }
  }
}
