import type { IDToken } from 'openid-client'
import { cutToLine, isAddress, nameFrom, normalAddress } from '../../foundation/text.ts'
import { didNotCheckOut } from './sign-in-refusals.ts'

export interface Vouched {
  email: string
  name: string
}

/**
 * The person that the provider authenticated. Some large providers never send `email_verified`; it is not required,
 * because the issuer is the org's own and the address must be of a domain that the org verified.
 */
export function vouchedFor({ email, email_verified = true, name }: IDToken): Vouched {
  const address = typeof email === 'string' ? normalAddress(email) : ''
  if (!isAddress(address)) throw didNotCheckOut(new Error('the id_token names no address'))
  if (email_verified !== true) throw didNotCheckOut(new Error('the address is not verified'))
  const named = typeof name === 'string' ? name : ''
  return { email: address, name: cutToLine(named, nameFrom(address)) }
}
