import type { Environment } from '@switchroom/contract/scopes'
import { listed } from '../../foundation/refusals.ts'
import { cutToLine } from '../../foundation/text.ts'

/** A phone number, and the account that calls from it are placed through. */
export interface FromNumber {
  number: string
  account: string | null
  kind: 'apicarrier' | 'sip' | 'msgapp' | null
  /** Accounts to place them through if that one cannot carry them, in order. */
  fallback_accounts: string[]
  /** Null if it can be dialled from. */
  why_not: WhyNot | null
}

export type WhyNot = 'bought' | 'hooked' | 'no_account' | 'forgotten' | 'no_host' | 'not_provisioned'

const whys: Record<WhyNot, string> = {
  bought: 'was bought by the platform and dials through no account of the org',
  hooked: 'was hooked by the org itself and dials through no account',
  no_account: 'lives in no account of the org',
  forgotten: 'lives in an account that was forgotten',
  no_host: 'lives in a SIP account without outbound_host',
  not_provisioned: 'lives in an account that dials once POST /v1/carrier/outbound was called for it',
}

/** The one that was asked for, else the first, even if that one cannot dial. */
export const chosenFrom = (numbers: readonly FromNumber[], wanted: string | undefined) =>
  wanted === undefined ? numbers[0] : numbers.find(({ number }) => number === wanted)

interface Asked {
  agent: string
  env: Environment
  from: string | undefined
  numbers: readonly FromNumber[]
  to: { peer?: { account: string } }
}

/** Why nothing is dialled from the chosen number; nothing if it can be. */
export function whyNoFrom(
  { agent, env, from, numbers, to: { peer } }: Asked,
  chosen: FromNumber | undefined,
): string | undefined {
  if (chosen?.why_not === null) return undefined
  if (!chosen && peer)
    return `${agent} in ${env} dials extensions of ${peer.account} from a number or an extension that lives in that account: ${from === undefined ? 'import one' : `${cutToLine(from, 'an empty number')} does not`}`
  const fit = numbers.filter(({ why_not }) => why_not === null).map(({ number }) => number)
  const can = `it can dial from ${fit.length === 0 ? 'no number yet' : listed(fit)}`
  if (chosen)
    return `${chosen.number} ${whys[chosen.why_not]}: ${agent} in ${env} cannot dial from it, ${can}`
  if (from === undefined) return `no phone number is routed to ${agent} in ${env}: ${can}`
  return `${cutToLine(from, 'an empty number')} is no phone number of ${agent} in ${env}: ${can}`
}
