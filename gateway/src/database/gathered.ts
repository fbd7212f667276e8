import { DatabaseError } from 'pg'

interface Waiting<Asked, Found> {
  asked: Asked
  resolve: (found: Found) => void
  reject: (error: unknown) => void
}

/** Enough that one statement that waits, or whose connection carries nothing any more, does not keep all waiting. */
const usuallyUnderWay = 2

/**
 * Asks in one statement for what many ask for one by one, in one turn of the event loop or while statements are under
 * way: one who is alone waits for nobody, and a busy gateway sends a tenth of the statements. Whatever is asked is asked
 * of the database after that.
 */
export class Gathered<Asked, Found> {
  /** Answers one for each, in their order. */
  readonly #ask: (asked: readonly Asked[]) => Promise<readonly Found[]>
  readonly #mostAtOnce: number
  readonly #mostUnderWay: number
  #waiting: Waiting<Asked, Found>[] = []
  #underWay = 0
  #isBeginning = false

  constructor(
    ask: (asked: readonly Asked[]) => Promise<readonly Found[]>,
    mostAtOnce: number,
    mostUnderWay = usuallyUnderWay,
  ) {
    this.#ask = ask
    this.#mostAtOnce = mostAtOnce
    this.#mostUnderWay = mostUnderWay
  }

  one(asked: Asked): Promise<Found> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ asked, resolve, reject })
      if (this.#isBeginning || this.#underWay >= this.#mostUnderWay) return
      this.#isBeginning = true
      setImmediate(() => void this.#askAll())
    })
  }

  async #askAll() {
    this.#isBeginning = false
    this.#underWay += 1
    while (this.#waiting.length > 0) await this.#askSome(this.#waiting.splice(0, this.#mostAtOnce))
    this.#underWay -= 1 // in the turn that found nothing more, so that nobody is left waiting
  }

  async #askSome(some: readonly Waiting<Asked, Found>[]) {
    try {
      const found = await this.#ask(some.map(({ asked }) => asked))
      for (const [at, { resolve }] of some.entries()) resolve(found[at] as Found) // one for each
    } catch (error) {
      if (some.length > 1 && isOfValue(error)) for (const one of some) await this.#askSome([one])
      else for (const { reject } of some) reject(error)
    }
  }
}

/** Of what one of them asked for, which must not fail the others. */
const isOfValue = (error: unknown) => error instanceof DatabaseError && error.code?.startsWith('22') === true
