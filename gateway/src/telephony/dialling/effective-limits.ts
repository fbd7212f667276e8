import { knobTable } from '@switchroom/contract/knobs'
import type { CallingHours, DialGuards, DialLimits, DialPolicy } from '@switchroom/contract/dialling'

/** What an org set for itself; null is the default. */
export type OwnPolicy = { [Field in keyof DialPolicy]: DialPolicy[Field] | null }
/** What the operator set for an org; null is the default. */
export type OwnLimits = { [Field in keyof DialLimits]: DialLimits[Field] | null }

/** Both rows as one statement answers them; every field is null if there is no row. */
export interface DialSettingsRow {
  calling_hours: CallingHours | null
  consent_everywhere: boolean | null
  per_number_day: number | null
  own_per_minute: number | null
  own_per_day: number | null
  dial_anywhere: boolean | null
  most_per_minute: number | null
  most_per_day: number | null
  max_duration_s: number | null
}

export const defaultLimits: DialLimits = {
  dial_anywhere: false,
  per_minute: 6,
  per_day: 200,
  max_duration_s: 600,
}

export const effectiveLimits = (row: DialSettingsRow): DialLimits => ({
  dial_anywhere: row.dial_anywhere ?? defaultLimits.dial_anywhere,
  per_minute: row.most_per_minute ?? defaultLimits.per_minute,
  per_day: row.most_per_day ?? defaultLimits.per_day,
  max_duration_s: row.max_duration_s ?? defaultLimits.max_duration_s,
})

/** An org may slow itself, not hurry: of its own count and the operator's the smaller holds. */
export function effectivePolicy(row: DialSettingsRow): DialPolicy {
  const limits = effectiveLimits(row)
  return {
    calling_hours: row.calling_hours,
    consent_everywhere: row.consent_everywhere ?? false,
    per_number_day: row.per_number_day,
    per_minute: Math.min(row.own_per_minute ?? limits.per_minute, limits.per_minute),
    per_day: Math.min(row.own_per_day ?? limits.per_day, limits.per_day),
  }
}

export const effectiveGuards = (row: DialSettingsRow): DialGuards => ({
  ...effectiveLimits(row),
  ...effectivePolicy(row),
})

/** The longest a placed call runs, in seconds: an agent's own 0 is no limit, and lifts none here. */
export const longestCallS = (
  { max_duration_s }: Pick<DialLimits, 'max_duration_s'>,
  agentsOwnS: number = knobTable.max_duration_s.default.value,
) => (agentsOwnS > 0 ? Math.min(agentsOwnS, max_duration_s) : max_duration_s)
