import type { Environment } from '@switchroom/contract/scopes'
import type { Database } from '../../database/database.ts'
import type { FromNumber } from './from-number.ts'
import * as store from './from-numbers.store.ts'

/** The phone numbers of an environment, and what can be dialled from each. */
export class FromNumbers {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Oldest first. */
  ofEnvironment(org: string, env: Environment): Promise<FromNumber[]> {
    return store.listFromNumbers(this.#database, org, env, null)
  }

  /** Oldest first: without `from` the first is used. */
  ofAgent(org: string, env: Environment, agent: string): Promise<FromNumber[]> {
    return store.listFromNumbers(this.#database, org, env, agent)
  }
}
