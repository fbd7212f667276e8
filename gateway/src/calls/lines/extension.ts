import { badRequest } from '../../foundation/refusals.ts'

const form = /^[0-9*#]{0,32}$/

/** The digits dialled after the number; null if there are none. */
export function extensionOf(digits = ''): string | null {
  if (!form.test(digits)) throw badRequest('an extension is up to 32 digits, * and #')
  return digits || null
}
