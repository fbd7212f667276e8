import type { Transaction } from '../../database/database.ts'
import { badRequest } from '../../foundation/refusals.ts'

/**
 * Records that a contact wants no more calls, in the transaction that logs it. Call it before the log is locked: a
 * rule that changes a number's consents may wait for that lock.
 */
export type RecordOptOut = (
  tx: Transaction,
  optOut: { org: string; number: string; call: string },
) => Promise<void>

/** The two ends of a call. */
interface Parties {
  channel: string
  direction: 'inbound' | 'outbound'
  caller: string | null
  called: string | null
  contact: string | null
}

/** Any number that can be dialled. */
const dialledForm = /^\+[1-9][0-9]{1,14}$/

/** Only the phone and the messaging platform prove that a number is the caller's. */
export function numberToOptOut({ channel, contact, direction, caller, called }: Parties): string {
  const isNumbered = channel === 'phone' || channel === 'msgapp'
  const number = contact ?? (direction === 'inbound' ? caller : called)
  if (!isNumbered || number === null || !dialledForm.test(number))
    throw badRequest('this call has no number to opt out')
  return number
}
