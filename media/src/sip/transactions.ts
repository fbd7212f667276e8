import { randomBytes } from 'node:crypto'
import { ClientTransaction, type OutgoingRequest } from './client-transaction.ts'
import type { Flow } from './flow.ts'
import { Counts } from './limits.ts'
import type { SipRequest, SipResponse } from './message.ts'
import { ServerTransaction } from './server-transaction.ts'
import type { Timing } from './timing.ts'

export const newToken = () => randomBytes(16).toString('hex')

const magic = 'z9hG4bK'

/** What distinguishes one request from another; ACK and CANCEL carry that of their INVITE. */
function keyOf({ via, callId, cseq, from, uri }: SipRequest, method: string): string {
  const port = via.port ?? ''
  // Before RFC 3261 a branch identified nothing.
  const mark = via.branch.startsWith(magic)
    ? via.branch
    : `${callId} ${cseq.number} ${from.tag} ${uri} ${via.branch}`
  return `${method} ${via.host}:${port} ${mark}`
}

const mergeKey = ({ callId, cseq, from }: SipRequest) => `${callId} ${cseq.number} ${cseq.method} ${from.tag}`

const callKey = ({ callId, from }: SipRequest) => `${callId} ${from.tag}`

/** Called with each final response, once for each transaction; null: none came in time. */
export type OnFinal = (direction: 'sent' | 'received', method: string, status: number | null) => void

/** Everything that was asked and is not settled, both ways. */
export class Transactions {
  readonly onFinal: OnFinal
  readonly #timing: Timing
  readonly #servers = new Map<string, ServerTransaction>()
  /** Requests that begin something, however they came here. */
  readonly #beginnings = new Map<string, ServerTransaction>()
  /** Of the requests that came, how many belong to each call. */
  readonly #within = new Counts()
  readonly #clients = new Map<string, ClientTransaction>()

  constructor(timing: Timing, onFinal: OnFinal = () => {}) {
    this.#timing = timing
    this.onFinal = onFinal
  }

  get size(): number {
    return this.#servers.size + this.#clients.size
  }

  sizeWithin(request: SipRequest): number {
    return this.#within.of(callKey(request))
  }

  /** The one that a repeated request, or the ACK of a refusal, belongs to. */
  find(request: SipRequest): ServerTransaction | undefined {
    return this.#servers.get(keyOf(request, request.method === 'ACK' ? 'INVITE' : request.method))
  }

  cancelled(request: SipRequest): ServerTransaction | undefined {
    return this.#servers.get(keyOf(request, 'INVITE'))
  }

  /** Whether the same request came here by another way (RFC 3261 8.2.2.2). */
  isMerged(request: SipRequest): boolean {
    return this.#beginnings.has(mergeKey(request))
  }

  take(request: SipRequest, flow: Flow): ServerTransaction {
    const [key, merge, call] = [keyOf(request, request.method), mergeKey(request), callKey(request)]
    const taken = new ServerTransaction(request, flow, this.#timing, {
      onFinal: (status) => this.onFinal('sent', request.method, status),
      onOver: () => {
        if (this.#servers.delete(key)) this.#within.remove(call)
        if (this.#beginnings.get(merge) === taken) this.#beginnings.delete(merge)
      },
    })
    this.#servers.set(key, taken)
    this.#within.add(call)
    if (!request.to.tag) this.#beginnings.set(merge, taken)
    return taken
  }

  ask(
    request: OutgoingRequest,
    flow: Flow,
    sentBy: string,
    onResponse: (response: SipResponse | null) => void,
  ): ClientTransaction {
    return this.#send(request, flow, viaOf(flow, sentBy), onResponse)
  }

  /** Cancels a call that rings; the outcome is reported to the code that sent the INVITE. */
  cancel(invite: ClientTransaction, flow: Flow): void {
    this.#send(invite.sibling('CANCEL'), flow, invite.via, () => {})
    invite.limit()
  }

  receive(response: SipResponse): void {
    this.#clients.get(`${response.cseq.method} ${response.via.branch}`)?.receive(response)
  }

  end(): void {
    for (const transaction of this.#servers.values()) transaction.end()
    for (const transaction of this.#clients.values()) transaction.abandon()
  }

  #send(
    request: OutgoingRequest,
    flow: Flow,
    via: string,
    onResponse: (response: SipResponse | null) => void,
  ): ClientTransaction {
    const key = `${request.method} ${via.slice(via.indexOf(magic)).split(';')[0]}`
    const sent = new ClientTransaction({
      request,
      via,
      flow,
      timing: this.#timing,
      onResponse,
      onFinal: (status) => this.onFinal('received', request.method, status),
      onOver: () => this.#clients.delete(key),
    })
    this.#clients.set(key, sent)
    return sent
  }
}

export const viaOf = ({ transport }: Flow, sentBy: string): string =>
  `SIP/2.0/${transport.toUpperCase()} ${sentBy};rport;branch=${magic}${newToken()}`
