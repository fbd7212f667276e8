import type { Transaction } from '../../database/database.ts'
import { badRequest } from '../../foundation/refusals.ts'

/**
 * Writes down that somebody wants no more calls, in the transaction that tells the log: before the log is held, for
 * whoever changes what is known of a number may wait for it.
 */
export type RecordOptOut = (
  tx: Transaction,
  optOut: { org: string; number: string; call: string },
) => Promise<void>

/** Between whom a call is. */
interface Parties {
  channel: string
  direction: 'inbound' | 'outbound'
  caller: string | null
  called: string | null
  contact: string | null
}

/** Whatever could be dialled. */
const dialledForm = /^\+[1-9][0-9]{1,14}$/

/** Only the phone and the messaging platform know a number to be their caller's. */
export function numberToOptOut({ channel, contact, direction, caller, called }: Parties): string {
  const isNumbered = channel === 'phone' || channel === 'msgapp'
  const number = contact ?? (direction === 'inbound' ? caller : called)
  if (!isNumbered || number === null || !dialledForm.test(number))
    throw badRequest('this call has no number to opt out')
  return number
}
