import type { CallSummary } from '@switchroom/contract/sessions'
import type { Database } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { notFound } from '../../foundation/refusals.ts'
import type { Log } from '../log/log.ts'
import { entryOf } from '../log/stamping.ts'
import { toldAfter, type Told } from './call-state.ts'
import * as store from './call-states.store.ts'

const pageSize = 1000

/** How single calls stand: what the head says of them, and what their logs tell. */
export class CallStates {
  readonly #database: Database
  readonly #log: Log

  constructor(database: Database, log: Log) {
    this.#database = database
    this.#log = log
  }

  /** Of a call whose entries are gone, its head still says how it ended. */
  async read({ org, env }: Caller, call: string): Promise<CallSummary> {
    const head = await store.findHead(this.#database, call, org, env)
    if (!head) throw notFound(`there is no call ${call}`)
    let told: Told = { ...head, held_by: null, turns: [], tools: [], errors: [], usage: [], callbacks: [] }
    for (let after = 0; ;) {
      const rows = await this.#log.read(call, after, pageSize)
      told = toldAfter(told, rows.map(entryOf))
      const last = rows.at(-1)
      if (!last || rows.length < pageSize) return { ...head, ...told }
      after = last.seq
    }
  }
}
