import { readWritten } from '../number-form.ts'
import { SipRefused, type SipTrunk } from './calls.ts'
import type { Protocol } from './flow.ts'
import type { Place } from './location.ts'
import { headersOf, type SipResponse } from './message.ts'
import { readNameAddress, readUri, type SipUri } from './syntax.ts'

/** An address to ask for, and where to ask for it. */
export interface Hop {
  uri: string
  place: Place
}

interface Dialled {
  to: string
  trunk: SipTrunk
}

const useProxy = 305
const followed = new Set([300, 301, 302, useProxy])
const mostHops = 5

export const isRedirect = ({ status }: SipResponse): boolean => followed.has(status)

/**
 * Where a far end sends a dial on to, as far as that is followed. What may be dialled was judged for one number:
 * another host may be asked for it, another number may not.
 */
export class Redirects {
  readonly #user: string
  readonly #dialled: Dialled
  readonly #transport: Protocol
  readonly #seen: Set<string>

  constructor({ uri, place }: Hop, dialled: Dialled) {
    this.#user = readUri(uri)?.user ?? ''
    this.#dialled = dialled
    this.#transport = place.transport
    this.#seen = new Set([markOf(this.#user, place)])
  }

  /** The best first; why not, if none of them is followed. */
  read(response: SipResponse, asked: Hop): Hop[] | SipRefused {
    const hops: Hop[] = []
    let why: string | undefined
    for (const contact of contactsOf(response)) {
      const hop = this.#hopTo(contact, response.status, asked)
      if (typeof hop === 'string') why ??= hop
      else hops.push(hop)
    }
    return hops.length > 0 ? hops : new SipRefused(response.status, response.reason, why)
  }

  #hopTo({ text, uri }: Contact, status: number, asked: Hop): Hop | string {
    const { host, port, user } = uri
    if (status === useProxy ? user !== '' && !this.#isDialled(user) : !this.#isDialled(user))
      return `the carrier sends the call on to ${user === '' ? host : user}, which is not the number that was dialled: dial that number itself`
    const transport = transportOf(uri, this.#transport)
    if (this.#transport === 'tls' && transport !== 'tls')
      return `the carrier sends the call on from TLS to ${transport.toUpperCase()}, where it would not be encrypted`
    const place = { host, port, transport }
    const mark = markOf(this.#user, place)
    if (this.#seen.has(mark)) return 'the carrier sends the call on in a circle'
    if (this.#seen.size > mostHops) return `the carrier sends the call on more than ${mostHops} times`
    this.#seen.add(mark)
    return { uri: status === useProxy ? asked.uri : text, place }
  }

  #isDialled(user: string): boolean {
    const { to, trunk } = this.#dialled
    return user === this.#user || readWritten(user, trunk) === to
  }
}

interface Contact {
  text: string
  uri: SipUri
}

function contactsOf(response: SipResponse): Contact[] {
  return headersOf(response, 'contact')
    .flatMap((value) => {
      const named = readNameAddress(value)
      // What comes after a question mark would be headers of the next request.
      const text = named?.uri.split('?')[0] ?? ''
      const uri = readUri(text)
      const q = Number(named?.params.get('q') ?? 1)
      return uri && uri.scheme !== 'tel' ? [{ text, uri, q: Number.isNaN(q) ? 0 : q }] : []
    })
    .toSorted((one, other) => other.q - one.q)
}

function transportOf({ scheme, params }: SipUri, usual: Protocol): Protocol {
  if (scheme === 'sips') return 'tls'
  const said = params.get('transport')?.toLowerCase()
  return said === 'udp' || said === 'tcp' || said === 'tls' ? said : usual
}

const markOf = (user: string, { host, port, transport }: Place) => `${user} ${host} ${port} ${transport}`
