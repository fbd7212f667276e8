import { writtenNumber } from '../number-form.ts'
import type { SipTrunk } from './calls.ts'

export interface Identity {
  from: string
  trunk: SipTrunk
  /** The number of a caller who is forwarded: a trunk that wants it shows it, and names `from` as who forwards. */
  caller?: string
}

/** Who calls, as a trunk reads it at this host. */
export function identityHeaders({ from, trunk, caller }: Identity, host: string, tag: string) {
  const number = writtenNumber(from, trunk)
  const own = `sip:${number === '' ? 'anonymous' : encodeURI(number)}@${host}`
  const forwarded = trunk.identity === 'diversion' ? caller : undefined
  const shown = forwarded === undefined ? own : `sip:${encodeURI(writtenNumber(forwarded, trunk))}@${host}`
  const headers: (readonly [string, string])[] = [['from', `<${shown}>;tag=${tag}`]]
  if (trunk.identity === 'p_asserted_identity' && number !== '')
    headers.push(['p-asserted-identity', `<${own}>`])
  if (forwarded !== undefined) headers.push(['diversion', `<${own}>;reason=deflection;counter=1`])
  return headers
}
