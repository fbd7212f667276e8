import {
  auditActions,
  type AuditAsked,
  type AuditPage,
  type PlatformAuditAsked,
} from '@switchroom/contract/audit'
import type { Database } from '../database/database.ts'
import { later, type Clock } from '../foundation/clock.ts'
import { cursorOf, placeIn } from '../foundation/cursors.ts'
import { notFound, unprocessable } from '../foundation/refusals.ts'
import * as store from './audit.store.ts'

const usualLimit = 50
const highestLimit = 200
const deletedAtOnce = 1000
const highestOrdinal = '9223372036854775807' // of a bigint
const rfc3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/

/** What was recorded, newest first, for as long as the operator keeps it. */
export class AuditLog {
  readonly #database: Database
  readonly #clock: Clock
  readonly #keptMs: number | undefined

  constructor(database: Database, clock: Clock, keptMs: number | undefined) {
    this.#database = database
    this.#clock = clock
    this.#keptMs = keptMs
  }

  async list(org: string, asked: AuditAsked): Promise<AuditPage> {
    const wanted = wantedBy(asked)
    return pageOf(await store.listOfOrg(this.#database, org, wanted), wanted)
  }

  /** Of every org and the deployment, or of one org named by its id or its slug. */
  async listAll({ org: named, ...asked }: PlatformAuditAsked): Promise<AuditPage> {
    const wanted = wantedBy(asked)
    if (named === undefined) return pageOf(await store.listAll(this.#database, wanted), wanted)
    const org = await store.findOrg(this.#database, named)
    if (!org) throw notFound(`there is no org ${named}`)
    return this.list(org.id, asked)
  }

  /** Some at a time, so that no change waits for it; answers how many entries are deleted. */
  async deleteExpired(signal: AbortSignal, database: Database = this.#database): Promise<number> {
    if (this.#keptMs === undefined) return 0
    const before = later(this.#clock.now(), -this.#keptMs)
    for (let gone = 0; ;) {
      if (signal.aborted) return gone
      const some = await database.transaction((tx) => store.deleteSome(tx, before, deletedAtOnce))
      gone += some
      if (some === 0) return gone
    }
  }
}

function wantedBy(asked: AuditAsked): store.Wanted {
  const { action = null, actor, target = null, after } = asked
  if (action !== null && !auditActions.some((known) => known === action))
    throw unprocessable(`action: must be one of ${auditActions.join(', ')}`)
  return {
    action,
    actor: actor?.toLowerCase() ?? null,
    target,
    since: timeOf('since', asked.since) ?? '-infinity',
    until: timeOf('until', asked.until) ?? 'infinity',
    before: after === undefined ? ['infinity', highestOrdinal] : cursorIn(after),
    limit: limitOf(asked.limit) + 1,
  }
}

function pageOf(found: store.ListedEntry[], { limit }: store.Wanted): AuditPage {
  const entries = found.slice(0, limit - 1)
  const last = entries.at(-1)
  return { entries, next: last && found.length === limit ? cursorOf(last.at, last.ordinal) : null }
}

function cursorIn(after: string): [string, number] {
  const [at, ordinal] = placeIn(after, 'text', 'whole')
  if (!rfc3339.test(at)) throw unprocessable('after: must be the next of the page before')
  return [at, ordinal]
}

function timeOf(field: string, said: string | undefined): string | undefined {
  if (said === undefined) return undefined
  const at = rfc3339.test(said) ? new Date(said) : undefined
  if (!at || Number.isNaN(at.getTime()))
    throw unprocessable(`${field}: must be a time with an offset, such as 2026-01-31T09:00:00Z`)
  return at.toISOString()
}

function limitOf(said: string | undefined): number {
  if (said === undefined) return usualLimit
  if (!/^[1-9]\d{0,2}$/.test(said) || Number(said) > highestLimit)
    throw unprocessable(`limit: must be a whole number from 1 to ${highestLimit}`)
  return Number(said)
}
