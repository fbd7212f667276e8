import type { Base, BaseList, ChangeBase, CreateBase } from '@switchroom/contract/knowledge'
import { changedFields, recordAudit } from '../../audit/recording.ts'
import type { BlobLedger } from '../../database/blobs/blob-ledger.ts'
import type { Database, Transaction } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import type { Clock } from '../../foundation/clock.ts'
import { conflict, notFound } from '../../foundation/refusals.ts'
import { newId } from '../../foundation/secrets.ts'
import { countHeld } from '../holdings/holdings.ts'
import { fieldsOf, refuseMalformedName, type BaseFields } from './base-fields.ts'
import { isVisible, refuseAgents, refuseChange } from './base-reach.ts'
import * as store from './bases.store.ts'

export type BaseRow = store.BaseRow

export interface BaseParts {
  database: Database
  clock: Clock
  blobLedger: Pick<BlobLedger, 'removeDueNow'>
}

/** An org's bases of documents, each in one environment. */
export class Bases {
  readonly #parts: BaseParts
  /** Told when documents wait to be read. */
  onQueued: () => void = () => {}

  constructor(parts: BaseParts) {
    this.#parts = parts
  }

  async list(caller: Caller): Promise<BaseList> {
    const { database } = this.#parts
    const rows = await store.listBases(database, caller.org, caller.env)
    const seen = rows.filter(({ agents }) => isVisible(caller, agents))
    const users = seen.length === 0 ? [] : await store.listUsers(database, caller.org, caller.env)
    return { bases: seen.map((row) => shown(caller, row, users)) }
  }

  async read(caller: Caller, base: string): Promise<Base> {
    const row = await this.find(caller, base)
    return shown(caller, row, await store.listUsers(this.#parts.database, caller.org, caller.env))
  }

  /** Refuses one that the caller may not see as if there were none. */
  async find(caller: Caller, base: string): Promise<BaseRow> {
    const row = await store.findBase(this.#parts.database, caller.org, caller.env, base)
    if (!row || !isVisible(caller, row.agents)) throw unknownBase(caller, base)
    return row
  }

  /** Likewise, and one that the caller may see and not change. */
  async findToChange(caller: Caller, base: string): Promise<BaseRow> {
    const row = await this.find(caller, base)
    refuseChange(caller, row)
    return row
  }

  async create(caller: Caller, { base, ...wanted }: CreateBase): Promise<Base> {
    const { database, clock } = this.#parts
    const { org, env } = caller
    refuseMalformedName(base)
    const fields = fieldsOf(wanted)
    refuseAgents(caller, [], fields.agents)
    const row = await database.transaction(async (tx) => {
      const made = kept(
        await store.insertBase(tx, { id: newId('base', 8), org, env, base }, fields, clock.now()),
      )
      await recordAudit(tx, caller, 'base.created', targetOf(made), { env, detail: { ...fields } })
      await countHeld(tx, org, { bases: 1 })
      return made
    })
    return shown(caller, row, await store.listUsers(database, org, env))
  }

  async change(caller: Caller, base: string, wanted: ChangeBase): Promise<Base> {
    const { database, clock } = this.#parts
    const before = await this.findToChange(caller, base)
    const fields = fieldsOf({ ...fieldsIn(before), ...given(wanted) })
    refuseAgents(caller, before.agents ?? [], fields.agents)
    const isReadAnew = fields.language !== before.language || fields.embed !== before.embed
    const row = await database.transaction(async (tx) => {
      const now = clock.now()
      if (isReadAnew) await store.requeueDocuments(tx, before.id, now)
      const changed = await store.replaceFields(tx, before, fields, now)
      if (!changed) throw conflict(`base ${base} was changed by another request: try again`)
      const detail = changedFields(fieldsIn(before), fields)
      await recordAudit(tx, caller, 'base.changed', targetOf(changed), { env: caller.env, detail })
      if (isReadAnew) tx.afterCommit(() => this.onQueued())
      return changed
    })
    return shown(caller, row, await store.listUsers(database, caller.org, caller.env))
  }

  /** With its documents and all that was made of them. */
  async remove(caller: Caller, base: string): Promise<void> {
    const { database, blobLedger } = this.#parts
    const { id, agents } = await this.findToChange(caller, base)
    refuseAgents(caller, agents ?? [], [])
    await database.transaction(async (tx) => {
      await store.deleteDocuments(tx, id)
      const gone = await store.deleteBase(tx, id)
      if (!gone) throw unknownBase(caller, base)
      const { documents, bytes, chunks } = gone
      await recordAudit(tx, caller, 'base.deleted', targetOf(gone), {
        env: caller.env,
        detail: { documents },
      })
      await countHeld(tx, caller.org, { bases: -1, documents: -documents, bytes: -bytes, chunks: -chunks })
    })
    await blobLedger.removeDueNow()
  }

  /** In the transaction of a change of documents; refuses with 404 if the base is gone. */
  async count(
    tx: Transaction,
    row: Pick<BaseRow, 'id' | 'org' | 'base' | 'env'>,
    added: { documents?: number; bytes?: number; chunks?: number },
    isFoundChanged = false,
  ): Promise<void> {
    if (!(await store.addCounts(tx, row.id, added, isFoundChanged))) throw unknownBase(row, row.base)
    await countHeld(tx, row.org, added)
  }
}

const fieldsIn = ({ description, language, embed, agents }: BaseFields): BaseFields => ({
  description,
  language,
  embed,
  agents,
})

const given = (wanted: ChangeBase): Partial<BaseFields> =>
  Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined))

const targetOf = ({ id, base }: Pick<BaseRow, 'id' | 'base'>) => ({ kind: 'base', id, label: base }) as const

/** A person who is narrowed to some agents sees no others. */
const shown = (
  caller: Caller,
  { base, description, language, embed, agents, documents, chunks, bytes, created_at, changed_at }: BaseRow,
  users: readonly { base: string; agent: string }[],
): Base => {
  const isTold = (agent: string) => caller.agents.length === 0 || caller.agents.includes(agent)
  const used_by = users.filter((use) => use.base === base && isTold(use.agent)).map(({ agent }) => agent)
  const counts = { documents, chunks, bytes }
  return { base, description, language, embed, agents, ...counts, used_by, created_at, changed_at }
}

export const unknownBase = ({ env }: Pick<Caller, 'env'>, base: string) =>
  notFound(`this org has no base ${base} in ${env}`)

function kept(row: BaseRow | undefined): BaseRow {
  if (!row) throw new Error('an inserted base is answered')
  return row
}
