import { setTimeout as pause } from 'node:timers/promises'
import { statement, type Queryable, type Statement, type Value } from './database.ts'

/** Whether a statement that lists what is to be done would list anything. */
export interface Check {
  text: string
  values: readonly Value[]
}

export const checkOf = (listing: Statement<unknown>, ...values: Value[]): Check => ({
  text: listing.text,
  values,
})

interface Asked extends Check {
  answered: (isAny: boolean) => void
  failed: (error: unknown) => void
}

const collectedForMs = 250

/** Asks for all periodic tasks of this gateway at once whether there is something to do, in one statement. */
export class DueChecks {
  readonly #database: Queryable
  #asked: Asked[] = []

  constructor(database: Queryable) {
    this.#database = database
  }

  async runIfAny(check: Check, work: () => unknown): Promise<boolean> {
    const isAny = await this.#isAny(check)
    if (isAny) await work()
    return isAny
  }

  #isAny(check: Check): Promise<boolean> {
    return new Promise((answered, failed) => {
      this.#asked.push({ ...check, answered, failed })
      if (this.#asked.length === 1) void this.#askSoon()
    })
  }

  async #askSoon() {
    await pause(collectedForMs)
    const asked = this.#asked
    this.#asked = []
    try {
      const { text, values } = combined(asked)
      const row = await this.#database.row(statement<{ due: boolean[] }>(text), ...values)
      for (const [place, { answered }] of asked.entries()) answered(row?.due[place] ?? false)
    } catch (error) {
      for (const { failed } of asked) failed(error)
    }
  }
}

/** The same tasks always ask with the same text, so that PostgreSQL plans each combination once. */
function combined(asked: Asked[]): Check {
  asked.sort((a, b) => (a.text < b.text ? -1 : 1))
  const values: Value[] = []
  const parts = asked.map((check) => {
    const before = values.length
    values.push(...check.values)
    return `exists (${check.text.replace(/\$(\d+)/g, (_place, n: string) => `$${Number(n) + before}`)})`
  })
  return { text: `select array[${parts.join(', ')}] as due`, values }
}
