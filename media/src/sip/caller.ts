import type { FenceTerms } from '@switchroom/contract/trunk-terms'
import { readWritten } from '../number-form.ts'
import { headersOf, type SipRequest } from './message.ts'
import { readNameAddress, readUri, splitOutside } from './syntax.ts'

/** As many as are looked at: far ends may write long lists. */
const mostNamed = 8

/**
 * Who calls: the number that a trunk asserts, else what From says; empty if the caller does not want to be known. What
 * a phone of this machine asserts is not believed: it has no terms.
 */
export function callerOf(request: SipRequest, terms: FenceTerms | null): string {
  const uri = readUri(request.from.uri)
  const isWithheld =
    !uri || uri.user.toLowerCase() === 'anonymous' || uri.host === 'anonymous.invalid' || isPrivate(request)
  if (isWithheld) return ''
  const asserted = terms && assertedNumber(request, terms)
  return asserted ?? readCaller(uri.user, terms ?? {}) ?? (/^[\w.+-]{1,64}$/.test(uri.user) ? uri.user : '')
}

/** A number; null for a phone of a PBX, whose few digits are an extension. */
const readCaller = (user: string, terms: FenceTerms): string | null =>
  /^\d{1,6}$/.test(user) && terms.number_form !== 'national' ? null : readWritten(user, terms)

/** The number that the call was meant for before it was sent on to us; empty if it was not, or by what is no number. */
export function divertedFrom(request: SipRequest, terms: FenceTerms): string {
  const [last] = namedIn(request, 'diversion')
  return (last && readWritten(last.user, terms)) ?? ''
}

/** RFC 3323 and 3325: the number may be known to the trunk, and to nobody beyond it. */
const isPrivate = (request: SipRequest) =>
  headersOf(request, 'privacy').some((value) => /\b(?:id|user)\b/i.test(value)) ||
  namedIn(request, 'remote-party-id').some(({ privacy }) => /^(?:full|uri)$/i.test(privacy))

function assertedNumber(request: SipRequest, terms: FenceTerms): string | null {
  const asserted = namedIn(request, 'p-asserted-identity')
  const remote = namedIn(request, 'remote-party-id').filter(({ party }) => /^(?:calling)?$/i.test(party))
  for (const { user } of [...asserted, ...remote]) {
    const number = readCaller(user, terms)
    if (number !== null) return number
  }
  return null
}

function namedIn(request: SipRequest, name: string) {
  const written = headersOf(request, name).flatMap((value) => splitOutside(value, ','))
  return written.slice(0, mostNamed).flatMap((one) => {
    const named = readNameAddress(one)
    const uri = named && readUri(named.uri)
    if (!uri) return []
    const param = (key: string) => named.params.get(key) ?? ''
    return [{ user: uri.user, party: param('party'), privacy: param('privacy') }]
  })
}
