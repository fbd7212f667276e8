import {
  weekdays,
  type CallingHours,
  type ChangeDialLimits,
  type ChangePolicy,
  type DialGuards,
  type DialLimits,
  type DialPolicy,
} from '@switchroom/contract/dialling'
import { changedFields, recordAudit } from '../../audit/recording.ts'
import type { Database, Queryable, Transaction } from '../../database/database.ts'
import type { Caller, Operator } from '../../foundation/caller.ts'
import { badRequest, notFound, unprocessable } from '../../foundation/refusals.ts'
import type { Orgs } from '../../people/orgs/orgs.ts'
import * as store from './dial-settings.store.ts'
import {
  effectiveGuards,
  effectiveLimits,
  effectivePolicy,
  type DialSettingsRow,
} from './effective-limits.ts'

const mostPerNumberDay = 100
const longestCallS = 24 * 60 * 60
const mostDials = 1_000_000

/** Limits of dials: what an org sets for itself, inside what the operator sets for it. */
export class DialPolicies {
  readonly #database: Database
  readonly #orgs: Orgs

  constructor(database: Database, orgs: Orgs) {
    this.#database = database
    this.#orgs = orgs
  }

  async read(org: string): Promise<DialPolicy> {
    return effectivePolicy(await this.#settings(this.#database, org))
  }

  /** Everything that a dial of the org is judged under. */
  async guardsOf(org: string): Promise<DialGuards> {
    return effectiveGuards(await this.#settings(this.#database, org))
  }

  change(caller: Caller, wanted: ChangePolicy): Promise<DialPolicy> {
    const { org } = caller
    return this.#changing(org, async (tx, row) => {
      refuseUnruly(wanted, effectiveLimits(row))
      const { calling_hours, consent_everywhere, per_number_day } = { ...row, ...wanted }
      await store.keepPolicy(tx, org, {
        calling_hours: calling_hours && hoursOf(calling_hours),
        consent_everywhere,
        per_number_day,
        per_minute: named(wanted.per_minute, row.own_per_minute),
        per_day: named(wanted.per_day, row.own_per_day),
      })
      const policy = effectivePolicy(await this.#settings(tx, org))
      const detail = changedFields(effectivePolicy(row), policy)
      await recordAudit(tx, caller, 'policy.changed', { kind: 'policy' }, { env: null, detail })
      return policy
    })
  }

  /** The org named by its id or its slug. */
  async readLimits(idOrSlug: string): Promise<DialLimits> {
    const { id } = await this.#orgs.find(idOrSlug)
    return effectiveLimits(await this.#settings(this.#database, id))
  }

  async changeLimits(by: Operator, idOrSlug: string, wanted: ChangeDialLimits): Promise<DialLimits> {
    refuseOutside('per_minute', wanted.per_minute, 0, mostDials)
    refuseOutside('per_day', wanted.per_day, 0, mostDials)
    refuseOutside('max_duration_s', wanted.max_duration_s, 1, longestCallS)
    const { id, slug } = await this.#orgs.find(idOrSlug)
    return this.#changing(id, async (tx, row) => {
      await store.keepLimits(tx, id, {
        dial_anywhere: named(wanted.dial_anywhere, row.dial_anywhere),
        per_minute: named(wanted.per_minute, row.most_per_minute),
        per_day: named(wanted.per_day, row.most_per_day),
        max_duration_s: named(wanted.max_duration_s, row.max_duration_s),
      })
      const limits = effectiveLimits(await this.#settings(tx, id))
      const context = { org: id, detail: changedFields(effectiveLimits(row), limits) }
      await recordAudit(tx, by, 'org.dial_limits_changed', { kind: 'org', id, label: slug }, context)
      return limits
    })
  }

  /** While the org is locked, so that of two changes at once neither loses what the other named. */
  #changing<T>(org: string, work: (tx: Transaction, row: DialSettingsRow) => Promise<T>): Promise<T> {
    return this.#database.transaction(async (tx) => {
      await this.#orgs.lock(tx, org)
      return work(tx, await this.#settings(tx, org))
    })
  }

  async #settings(database: Queryable, org: string): Promise<DialSettingsRow> {
    const row = await store.readDialSettings(database, org)
    if (!row) throw notFound(`there is no org ${org}`)
    return row
  }
}

/** What is not named stays; null is the default. */
const named = <T>(wanted: T | null | undefined, before: T | null) => (wanted === undefined ? before : wanted)

function refuseUnruly(
  { calling_hours, per_number_day, per_minute, per_day }: ChangePolicy,
  most: DialLimits,
) {
  if (calling_hours) hoursOf(calling_hours)
  refuseCount('per_number_day', per_number_day, mostPerNumberDay)
  refuseCount('per_minute', per_minute, most.per_minute)
  refuseCount('per_day', per_day, most.per_day)
}

function refuseCount(field: string, wanted: number | null | undefined, most: number) {
  if (wanted == null || (wanted >= 1 && wanted <= most)) return
  throw unprocessable(`${field}: must be null or a whole number from 1 to ${most}`)
}

function refuseOutside(field: string, wanted: number | null | undefined, least: number, most: number) {
  if (wanted == null || (wanted >= least && wanted <= most)) return
  throw badRequest(`${field}: must be null or a whole number from ${least} to ${most}`)
}

const timeForm = /^(?:[01]\d|2[0-3]):[0-5]\d$/

/** The days in the order of the week; all of them if none is named. */
function hoursOf({
  start,
  end,
  days = [...weekdays],
}: NonNullable<ChangePolicy['calling_hours']>): CallingHours {
  if (!timeForm.test(start)) throw unprocessable('calling_hours.start: must be a time from 00:00 to 23:59')
  if (!timeForm.test(end) && end !== '24:00')
    throw unprocessable('calling_hours.end: must be a time from 00:00 to 24:00')
  if (start >= end) throw unprocessable('calling_hours: must start before it ends')
  const isWeek = days.length > 0 && days.every((day) => weekdays.some((known) => known === day))
  if (!isWeek) throw unprocessable(`calling_hours.days: must be some of ${weekdays.join(', ')}`)
  return { start, end, days: weekdays.filter((day) => days.includes(day)) }
}
