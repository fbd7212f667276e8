import type { CallSummary } from '@switchroom/contract/sessions'
import type { Database } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { notFound } from '../../foundation/refusals.ts'
import type { Log } from '../log/log.ts'
import { entryOf } from '../log/entries.ts'
import { summaryAfter, type LogSummary } from './call-summary.ts'
import * as store from './call-summaries.store.ts'

const pageSize = 1000

/** Summaries of single calls, from their records and logs. */
export class CallSummaries {
  readonly #database: Database
  readonly #log: Log

  constructor(database: Database, log: Log) {
    this.#database = database
    this.#log = log
  }

  /** If the entries were deleted, the record still says how the call ended. */
  async read({ org, env }: Pick<Caller, 'org' | 'env'>, call: string): Promise<CallSummary> {
    const record = await store.findRecord(this.#database, call, org, env)
    if (!record) throw notFound(`there is no call ${call}`)
    let summary: LogSummary = {
      ...record,
      held_by: null,
      turns: [],
      tools: [],
      errors: [],
      usage: [],
      callbacks: [],
    }
    for (let after = 0; ;) {
      const rows = await this.#log.read(call, after, pageSize)
      summary = summaryAfter(summary, rows.map(entryOf))
      const last = rows.at(-1)
      if (!last || rows.length < pageSize) return { ...record, ...summary }
      after = last.seq
    }
  }
}
