import { badRequest } from '../../foundation/refusals.ts'

const form = /^[0-9*#]{0,32}$/

/** What was dialled after the number; null for nothing. */
export function extensionOf(digits = ''): string | null {
  if (!form.test(digits)) throw badRequest('an extension is up to 32 digits, * and #')
  return digits || null
}
