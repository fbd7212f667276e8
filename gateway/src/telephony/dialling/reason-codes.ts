import type { DialReason } from '@switchroom/contract/dialling'
import type { RefusalCode } from '@switchroom/contract/refusal-codes'

/** Why a dial was refused, as the refusal's code. */
export const codeOfReason: Record<DialReason, RefusalCode> = {
  bad_number: 'BAD_NUMBER',
  no_from: 'NO_FROM',
  not_held: 'AGENT_OFFLINE',
  stranger: 'STRANGER',
  opted_out: 'OPTED_OUT',
  no_consent: 'NO_CONSENT',
  quiet_hours: 'QUIET_HOURS',
  per_minute: 'PER_MINUTE',
  per_day: 'PER_DAY',
  too_often: 'TOO_OFTEN',
}
