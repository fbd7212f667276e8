import { badRequest } from '../../foundation/refusals.ts'
import { newId } from '../../foundation/secrets.ts'

const workersForm = /^[A-Za-z0-9_-]{1,128}$/

export const newCallId = () => newId('call', 12)

/** A worker may name a call by an id of its own. */
export function refuseMalformedCallId(field: 'call' | 'for_call', id: string) {
  if (!workersForm.test(id)) throw badRequest(`${field} is 1 to 128 letters, digits, dashes and underscores`)
}
