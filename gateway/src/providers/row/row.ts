import type { ProviderRow } from '@switchroom/contract/providers'
import type { InstalledVendors } from '@switchroom/kit/installed'
import { changedNames, recordAudit } from '../../audit/recording.ts'
import type { Database } from '../../database/database.ts'
import type { Operator } from '../../foundation/caller.ts'
import { readRowFile } from './row-file.ts'
import { refuseMalformed } from './row-parsing.ts'
import { refuseUnrunnable } from './row-vendors.ts'
import * as store from './row.store.ts'

/** The platform's providers row: the vendors that calls run on by default. */
export class ProvidersRow {
  readonly #database: Database
  readonly #vendors: InstalledVendors
  readonly #file: string

  constructor(database: Database, vendors: InstalledVendors, file: string) {
    this.#database = database
    this.#vendors = vendors
    this.#file = file
  }

  /** Call it before the first read: a new deployment starts with the row of its file. */
  async loadFirst() {
    if (await store.readRow(this.#database)) return
    await store.keepFirstRow(this.#database, wholeOf(await readRowFile(this.#file)))
  }

  async read(): Promise<ProviderRow> {
    const row = await store.readRow(this.#database)
    if (!row) throw new Error('the providers row is gone from the database')
    return row
  }

  async replace(by: Operator, wanted: ProviderRow): Promise<ProviderRow> {
    refuseMalformed(wanted)
    refuseUnrunnable(wanted, this.#vendors)
    const row = wholeOf(wanted)
    await this.#database.transaction(async (tx) => {
      const before = (await store.readRow(tx)) ?? {}
      await store.keepRow(tx, row)
      const detail = { changed: changedNames(before, row) }
      await recordAudit(tx, by, 'platform.providers_changed', { kind: 'platform' }, { detail })
    })
    return row
  }
}

/** Its own fields and no others. */
const wholeOf = (row: ProviderRow): ProviderRow => ({
  defaults: byStage(row.defaults),
  fallbacks: byStage(row.fallbacks),
  models: row.models,
  voices: row.voices,
  options: row.options,
  end_of_turn: row.end_of_turn,
  can_end_turn: row.can_end_turn,
  lines: row.lines,
  judge: row.judge,
  withheld: row.withheld,
})

const byStage = <T>({ llm, stt, tts }: { llm: T; stt: T; tts: T }) => ({ llm, stt, tts })
