import { isIPv6 } from 'node:net'
import type { ClientTransaction, OutgoingRequest } from './client-transaction.ts'
import type { Flow, Target } from './flow.ts'
import { isLoopback } from './gate.ts'
import { AvoidedTargets } from './avoided-targets.ts'
import { Counts, type SipLimits, TokenBuckets } from './limits.ts'
import { Locator, type Place } from './location.ts'
import { type SipRequest, type SipResponse, writeRequest } from './message.ts'
import type { ServerTransaction } from './server-transaction.ts'
import type { Timing } from './timing.ts'
import { Transactions, viaOf, type OnFinal } from './transactions.ts'
import type { SipTransport } from './transport.ts'
import { Unacknowledged } from './unacknowledged.ts'

/** A call that rings, for the dispatch of incoming messages. */
export interface EarlyDialog {
  readonly key: string
  /** Whether a request is newer than those before; asked once of each. */
  isNext(request: SipRequest): boolean
  receive(transaction: ServerTransaction): void
  acknowledge(request: SipRequest): void
  /** Whether the address is one that it is held with. */
  isPeer(address: string): boolean
}

/** An established call. */
export interface StandingDialog extends EarlyDialog {
  bye(): Promise<void>
}

export interface StackOptions {
  host: string
  publicAddress: string
  /** Null if none of IPv6 is reached. */
  publicAddress6: string | null
  nameServers?: readonly string[]
  allocatePort: () => number
  releasePort: (port: number) => void
  timing: Timing
  limits: SipLimits
  /** Whether something may be sent to an address that nothing was received from. */
  mayDial: (address: string) => boolean
  onFinal?: OnFinal
  log: (sentence: string) => void
}

/** As an address is written before a port. */
export const inBrackets = (address: string): string => (isIPv6(address) ? `[${address}]` : address)

function familiesOf(host: string, publicAddress6: string | null): (4 | 6)[] {
  if (!isIPv6(host)) return [4]
  if (host !== '::') return [6]
  return publicAddress6 === null ? [4] : [4, 6]
}

export const dialogKey = (callId: string, localTag: string, remoteTag: string) =>
  `${callId} ${localTag} ${remoteTag}`

/** What calls share: sockets, transactions, and the calls in progress. */
export class SipStack {
  readonly options: StackOptions
  readonly transactions: Transactions
  readonly dialogs = new Map<string, StandingDialog>()
  /** Of calls that are not answered yet, which are counted elsewhere. */
  readonly early = new Map<string, EarlyDialog>()
  /** Addresses that calls are held with, whatever the fences say. */
  readonly peers = new Counts()
  /** Calls that were asked for by each address and are not answered. */
  readonly ringing = new Counts()
  ringingTotal = 0
  readonly unacknowledged: Unacknowledged
  /** What each address may say at all. */
  readonly said: TokenBuckets
  readonly avoided = new AvoidedTargets()
  readonly #locator: Locator
  #transport: SipTransport | null = null

  constructor(options: StackOptions) {
    this.options = options
    this.said = new TokenBuckets(options.limits.messagesPerS, options.limits.sources)
    this.transactions = new Transactions(options.timing, options.onFinal)
    this.unacknowledged = new Unacknowledged(options.limits)
    const { host, publicAddress6, nameServers } = options
    this.#locator = new Locator({
      families: familiesOf(host, publicAddress6),
      ...(nameServers && { nameServers }),
    })
  }

  get transport(): SipTransport {
    if (!this.#transport) throw new Error('no socket is open yet')
    return this.#transport
  }

  open(transport: SipTransport): void {
    this.#transport = transport
  }

  get isFull(): boolean {
    const { limits } = this.options
    return (
      this.dialogs.size + this.ringingTotal >= limits.dialogs ||
      this.ringingTotal >= limits.ringing ||
      this.transactions.size >= limits.transactions
    )
  }

  /** Whether no more may be asked within the call that a request belongs to. */
  isFullWithin(request: SipRequest): boolean {
    const { limits } = this.options
    return (
      this.transactions.size >= limits.transactions ||
      this.transactions.sizeWithin(request) >= limits.transactionsOfDialog
    )
  }

  /** What a peer reaches this machine at. */
  addressFor(peer: string): string {
    const { publicAddress, publicAddress6 } = this.options
    if (isLoopback(peer)) return isIPv6(peer) ? '::1' : '127.0.0.1'
    return isIPv6(peer) ? (publicAddress6 ?? publicAddress) : publicAddress
  }

  /** The address to bind for a peer's sound. */
  localAddressFor(peer: string): string {
    const { host } = this.options
    return host === '::' && !isIPv6(peer) ? '0.0.0.0' : host
  }

  /** Where we are reached over a flow. Without a port for TLS of our own that is our end of the connection. */
  sentBy(flow: Flow): string {
    const { port, tlsPort } = this.transport
    const reached = flow.transport === 'tls' ? (tlsPort ?? flow.localPort) : port
    return `${inBrackets(this.addressFor(flow.address))}:${reached}`
  }

  contact(flow: Flow, user: string): string {
    const transport = flow.transport === 'udp' ? '' : `;transport=${flow.transport}`
    return `<sip:${encodeURIComponent(user).replaceAll('%2B', '+')}@${this.sentBy(flow)}${transport}>`
  }

  locate(place: Place): Promise<Target[]> {
    return this.#locator.locate(place)
  }

  flowTo(target: Target, withinMs?: number): Promise<Flow> {
    return this.transport.flowTo(target, withinMs)
  }

  ask(
    request: OutgoingRequest,
    flow: Flow,
    onResponse: (response: SipResponse | null) => void,
  ): ClientTransaction {
    return this.transactions.ask(request, flow, this.sentBy(flow), onResponse)
  }

  /** The first answer that is final; null when none came, or none within `withinMs`. Not for INVITE. */
  askOnce(request: OutgoingRequest, flow: Flow, withinMs?: number): Promise<SipResponse | null> {
    return new Promise((resolve) => {
      const late = withinMs === undefined ? undefined : setTimeout(() => resolve(null), withinMs).unref()
      this.ask(request, flow, (response) => {
        if (response && response.status < 200) return
        clearTimeout(late)
        resolve(response)
      })
    })
  }

  /** A request to be sent once, without waiting for a response: an ACK of a 2xx has none. */
  unanswered(request: OutgoingRequest, flow: Flow): Buffer {
    const headers = [['via', viaOf(flow, this.sentBy(flow))] as const, ...request.headers]
    return writeRequest(request.method, request.uri, headers, request.body)
  }
}
