import { wholeNumber } from '@switchroom/process/setting-parsing'
import { SettingError, type ReadSetting } from '@switchroom/process/setting-reader'
import { dayMs } from './clock.ts'

/** What is kept for some days, and the setting that says for how many. */
export const lifeSettings = {
  /** After a call ended: its log, its sound and what was sent in it. */
  logs: 'SVC_LOG_DAYS',
  /** After a call ended: its record. */
  calls: 'SVC_CALL_DAYS',
  dials: 'SVC_DIAL_DAYS',
  /** After a key was revoked. */
  keys: 'SVC_KEY_DAYS',
} as const

export type Aging = keyof typeof lifeSettings

/** In days, 0 for ever; what is not named is as it was usual when the deployment began. */
export type SetLives = Partial<Record<Aging, number>>

/** The pace of dials is counted over a day, and an org is asked for longer whom it dialled. */
const fewestDialDays = 30
/** A century. */
const mostDays = 36_500

export function readLives(read: ReadSetting): SetLives {
  const lives: SetLives = {}
  for (const aging of Object.keys(lifeSettings) as Aging[]) {
    const kept = read(lifeSettings[aging], aging === 'dials' ? dialDays : days)
    if (kept !== undefined) lives[aging] = kept
  }
  return lives
}

/** Undefined for ever. */
export const readAuditKeptMs = (read: ReadSetting): number | undefined =>
  (read('SVC_AUDIT_DAYS', days) ?? 730) * dayMs || undefined

function days(value: string): number {
  const kept = wholeNumber(value)
  if (kept > mostDays) throw new SettingError(`is ${kept}: at most ${mostDays} days, and 0 is for ever`)
  return kept
}

function dialDays(value: string): number {
  const kept = days(value)
  if (kept !== 0 && kept < fewestDialDays)
    throw new SettingError(`is ${kept}: ${fewestDialDays} days or more, and 0 is for ever`)
  return kept
}
