import type { DialKind, StandingFact } from '@switchroom/contract/dialling'
import type { SettingsScope } from '../../agents/scope.ts'
import { inlined, statement, type Queryable, type Transaction } from '../../database/database.ts'
import { liveRegistrations, type LiveGateways } from '../../database/gateway-liveness.ts'
import { shownColumn } from '../../foundation/number-keys.ts'
import type { FromNumber } from './from-number.ts'
import { defaultLimits, type DialSettingsRow } from './effective-limits.ts'
import { settingsColumns, settingsTables } from './dial-settings.store.ts'

// Weaker than `for update`: a row that only refers to the org, such as a call that comes in, need not wait for it.
export const orgLock = 'select from orgs where id = $1 for no key update'

/** Locked to the end of the transaction: the dials of one org are counted one at a time. */
export const lockingOrg = (org: string) => inlined(orgLock, org)

export interface FactsRow extends DialSettingsRow {
  in_minute: number
  in_day: number
  to_number: number
  standing: { fact: 'consent' | 'opt_out'; row: StandingFact } | null
  is_known: boolean
  is_own_phone: boolean
  is_held: boolean
  numbers: FromNumber[]
}

/** Which dial is judged, and which gateways count: the one that asks, and those that were seen lately. */
export interface FactsAsked {
  scope: SettingsScope
  to: string
  /** The person who asks, if one does. */
  member: string | null
  minuteAgo: Date
  dayAgo: Date
  alive: LiveGateways
}

// One statement, and so one round trip while the org is locked. Dials of the last minute are counted no further than
// the limit, so that a caller that floods does not make the others wait. Those of a day are summed from the counts of five
// minutes each, and counted only in the five minutes in which the day begins.
export const factsRead = statement<FactsRow>(`
  select ${settingsColumns},
    (
      select count(*)::int from (
        select from dials where org = o.id and env = $2 and at > $5
        limit coalesce(l.per_minute, ${defaultLimits.per_minute})
      ) asked
    ) as in_minute,
    (
      select coalesce(sum(count), 0)::int from quota_counts
      where org = o.id and env = $2 and counted = 'dials' and bucket > quota_bucket($6)
    ) + (
      select count(*)::int from dials
      where org = o.id and env = $2 and at > $6 and at < bucket_end($6) and outcome = 'taken'
    ) as in_day,
    (
      select count(*)::int from dials
      where org = o.id and env = $2 and called = $4 and at > $6 and outcome = 'taken'
    ) as to_number,
    (
      select json_build_object('fact', s.fact, 'row', json_build_object('id', c.id, 'kind', c.kind,
        'source', c.source, 'by', c.by, 'call', c.call, 'at', extract(epoch from c.at)::float8))
      from consent_standings s join consents c on c.ordinal = s.ordinal
      where s.org = o.id and s.number = $4
    ) as standing,
    exists (select from known_contacts where org = o.id and env = $2 and contact = $4) as is_known,
    exists (select from own_phones where org = o.id and member = $7 and number = $4) as is_own_phone,
    exists (
      select from ${liveRegistrations('$9', '$10')}
      where r.org = o.id and r.env = $2 and r.agent = $3 and r.holder in ($8, '')
    ) as is_held,
    array(
      select json_build_object('number', ${shownColumn('number')}, 'account', account, 'kind', kind, 'why_not', why_not,
        'fallback_accounts', fallback_accounts)
      from from_numbers where org = o.id and env = $2 and agent = $3 order by ordinal
    ) as numbers
  from ${settingsTables}
  where o.id = $1`)

export const readFacts = (
  database: Queryable,
  { scope: { org, env, agent, holder }, to, member, minuteAgo, dayAgo, alive }: FactsAsked,
) => database.row(factsRead, org, env, agent, to, minuteAgo, dayAgo, member, holder, alive.own, alive.since)

export interface DialRow {
  id: string
  org: string
  env: string
  agent: string
  kind: DialKind
  to: string
  from: string | null
  call: string | null
  by: string
  outcome: 'taken' | 'refused'
  status: number
  reason: string | null
  at: Date
}

export const dialInsert = `
  insert into dials (id, org, env, agent, kind, called, caller, call, by, outcome, status, reason, at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`

/** With the commit, for the org is locked until then. */
export const insertDial = (tx: Transaction, row: DialRow) =>
  tx.withCommit(
    inlined(
      dialInsert,
      row.id,
      row.org,
      row.env,
      row.agent,
      row.kind,
      row.to,
      row.from,
      row.call,
      row.by,
      row.outcome,
      row.status,
      row.reason,
      row.at,
    ),
  )
