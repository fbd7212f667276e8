import { DatabaseError } from 'pg'

interface Waiting<Asked, Found> {
  asked: Asked
  resolve: (found: Found) => void
  reject: (error: unknown) => void
}

/**
 * Asks in one statement for what many ask for one by one: what comes while a statement is under way waits for the next,
 * so that one who is alone waits for nobody, and a busy gateway sends a tenth of the statements. Whatever is asked is
 * asked of the database after that.
 */
export class Gathered<Asked, Found> {
  /** Answers one for each, in their order. */
  readonly #ask: (asked: readonly Asked[]) => Promise<readonly Found[]>
  readonly #mostAtOnce: number
  #waiting: Waiting<Asked, Found>[] = []
  #isAsking = false

  constructor(ask: (asked: readonly Asked[]) => Promise<readonly Found[]>, mostAtOnce: number) {
    this.#ask = ask
    this.#mostAtOnce = mostAtOnce
  }

  one(asked: Asked): Promise<Found> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ asked, resolve, reject })
      if (!this.#isAsking) void this.#askAll()
    })
  }

  async #askAll() {
    this.#isAsking = true
    await Promise.resolve() // what is asked in the same turn goes together
    while (this.#waiting.length > 0) await this.#askSome(this.#waiting.splice(0, this.#mostAtOnce))
    this.#isAsking = false // set in the turn that found nothing more, so that nobody is left waiting
  }

  async #askSome(some: readonly Waiting<Asked, Found>[]) {
    try {
      const found = await this.#ask(some.map(({ asked }) => asked))
      for (const [at, { resolve }] of some.entries()) resolve(found[at] as Found) // one for each
    } catch (error) {
      // A value that PostgreSQL cannot read must not fail the others.
      if (some.length > 1 && error instanceof DatabaseError)
        for (const one of some) await this.#askSome([one])
      else for (const { reject } of some) reject(error)
    }
  }
}
