import { statement, type Queryable, type Transaction } from '../../database/database.ts'
import type { DialSettingsRow, OwnLimits, OwnPolicy } from './effective-limits.ts'

/** An org's policy and limits, of `settingsTables`. */
export const settingsColumns = `
  p.calling_hours, p.consent_everywhere, p.per_number_day, p.per_minute as own_per_minute, p.per_day as own_per_day,
  l.dial_anywhere, l.per_minute as most_per_minute, l.per_day as most_per_day, l.max_duration_s`

export const settingsTables = `
  orgs o left join dialling_policies p on p.org = o.id left join dialling_limits l on l.org = o.id`

const read = statement<DialSettingsRow>(`select ${settingsColumns} from ${settingsTables} where o.id = $1`)

export const readDialSettings = (database: Queryable, org: string) => database.row(read, org)

const keepOwnPolicy = statement(`
  insert into dialling_policies (org, calling_hours, consent_everywhere, per_number_day, per_minute, per_day)
  values ($1, $2, $3, $4, $5, $6)
  on conflict (org) do update
  set calling_hours = excluded.calling_hours, consent_everywhere = excluded.consent_everywhere,
    per_number_day = excluded.per_number_day, per_minute = excluded.per_minute, per_day = excluded.per_day`)

export const keepPolicy = (tx: Transaction, org: string, policy: OwnPolicy) =>
  tx.rows(
    keepOwnPolicy,
    org,
    policy.calling_hours && JSON.stringify(policy.calling_hours),
    policy.consent_everywhere,
    policy.per_number_day,
    policy.per_minute,
    policy.per_day,
  )

const keepOwnLimits = statement(`
  insert into dialling_limits (org, dial_anywhere, per_minute, per_day, max_duration_s)
  values ($1, $2, $3, $4, $5)
  on conflict (org) do update
  set dial_anywhere = excluded.dial_anywhere, per_minute = excluded.per_minute, per_day = excluded.per_day,
    max_duration_s = excluded.max_duration_s`)

export const keepLimits = (tx: Transaction, org: string, limits: OwnLimits) =>
  tx.rows(keepOwnLimits, org, limits.dial_anywhere, limits.per_minute, limits.per_day, limits.max_duration_s)
