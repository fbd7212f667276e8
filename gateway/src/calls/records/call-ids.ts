import { badRequest } from '../../foundation/refusals.ts'
import { newId } from '../../foundation/secrets.ts'
import { isTestCall } from '../log/test-call-ids.ts'

const workersForm = /^[A-Za-z0-9_-]{1,128}$/

export const newCallId = () => newId('call', 12)

/** A worker may name a call by an id of its own. */
export function refuseMalformedCallId(field: 'call' | 'for_call', id: string) {
  if (!workersForm.test(id)) throw badRequest(`${field} is 1 to 128 letters, digits, dashes and underscores`)
}

/** Refuses to open a call under an id as tests have. */
export function refuseTestCallId(field: 'call' | 'for_call', id: string) {
  if (isTestCall(id))
    throw badRequest(`${field} begins with eval_, as only tests do: name the call otherwise`)
}
