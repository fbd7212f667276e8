import type { VaultRotation, VaultState } from '@switchroom/contract/vault'
import type { Logger } from 'pino'
import type { RunningGateways } from '../../agents/apps/running-gateways.ts'
import { recordAudit } from '../../audit/recording.ts'
import type { Database, Queryable } from '../../database/database.ts'
import { dropOtherKeys, heldVaultKeys, vaultKeys } from '../../database/vault-check.ts'
import type { Operator } from '../../foundation/caller.ts'
import type { Vault } from '../../foundation/sealing.ts'
import { sealedColumns, type SealedColumn } from './sealed-columns.ts'
import * as store from './vault.store.ts'

const pageSize = 100
/** One request seals so many values again; the client repeats it until nothing is left. */
const mostResealed = 2000

export interface VaultRotationParts {
  database: Database
  vault: Vault
  gateways: Pick<RunningGateways, 'sealingOtherwise'>
  logger: Logger
}

/** Brings what is sealed under an older vault key under the newest, while everything is served. */
export class VaultKeyRotation {
  readonly #parts: VaultRotationParts

  constructor(parts: VaultRotationParts) {
    this.#parts = parts
  }

  async read(): Promise<VaultState> {
    const { database, vault } = this.#parts
    const keys = await vaultKeys(database, vault)
    return this.#state(database, keys)
  }

  /** Any number of gateways may do so at once: each value is replaced only if it is still the one that was read. */
  async rotate(by: Operator): Promise<VaultRotation> {
    const unreadable: string[] = []
    let resealed = 0
    for (const column of sealedColumns) {
      const done = await this.#reseal(column, mostResealed - resealed)
      resealed += done.resealed
      if (done.unreadable > 0) unreadable.push(`${column.table}.${column.column}`)
      if (done.unreadable > 0)
        this.#parts.logger.warn({ ...done, table: column.table }, 'sealed values open under no vault key')
    }
    return { ...(await this.#finish(by, resealed)), resealed, unreadable }
  }

  async #reseal(column: SealedColumn, atMost: number): Promise<{ resealed: number; unreadable: number }> {
    const { database, vault } = this.#parts
    let [resealed, unreadable, after] = [0, 0, '']
    while (resealed < atMost) {
      const rows = await store.listOlder(database, column, vault.header, after, pageSize)
      for (const row of rows) {
        after = row.id
        const fresh = this.#freshOf(column, row)
        if (!fresh) unreadable += 1
        // one at a time, so that a rule which writes two rows never waits for this
        else if (await store.replaceValue(database, column, row, fresh)) resealed += 1
      }
      if (rows.length < pageSize) break
    }
    return { resealed, unreadable }
  }

  #freshOf(column: SealedColumn, { key, value }: store.SealedRow): Buffer | undefined {
    const { vault } = this.#parts
    const place = column.place(key)
    try {
      return vault.seal(vault.open(value, place), place)
    } catch {
      return undefined
    }
  }

  /** The check comes last: from then on a gateway may start with the newest key alone. */
  #finish(by: Operator, resealed: number): Promise<VaultState> {
    const { database, vault } = this.#parts
    return database.transaction(async (tx) => {
      const keys = await heldVaultKeys(tx, vault) // a gateway that starts waits, and says which key it seals with
      const state = await this.#state(tx, keys)
      const detail = { key: state.key, resealed, left: state.left }
      await recordAudit(tx, by, 'platform.vault_rotated', { kind: 'platform' }, { detail })
      if (state.left > 0 || state.gateways > 0) return state
      await dropOtherKeys(tx, vault)
      return { ...state, finished: true }
    })
  }

  async #state(database: Queryable, keys: readonly string[]): Promise<VaultState> {
    const { vault, gateways } = this.#parts
    const [key] = vault.keyIds
    const columns: VaultState['columns'] = []
    for (const sealed of sealedColumns) {
      const left = await store.countOlder(database, sealed, vault.header)
      columns.push({ table: sealed.table, column: sealed.column, left })
    }
    const left = columns.reduce((sum, column) => sum + column.left, 0)
    const finished = left === 0 && keys.length === 1 && keys[0] === key
    return { key, finished, left, gateways: await gateways.sealingOtherwise(database), columns }
  }
}
