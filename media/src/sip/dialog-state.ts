import type { OutgoingRequest } from './client-transaction.ts'
import { answerChallenge, isStale, type Pair } from './digest.ts'
import type { Flow, Protocol } from './flow.ts'
import { isLoopback } from './gate.ts'
import { isPrivate } from './location.ts'
import {
  header,
  type Headers,
  headersOf,
  type SipMessage,
  type SipRequest,
  type SipResponse,
  wordsOf,
} from './message.ts'
import { placeOfCaller, type ReferPlace } from './referral.ts'
import { dialogKey, type SipStack } from './stack.ts'
import { readNameAddress, readUri } from './syntax.ts'
import type { TlsTerms } from './tls-terms.ts'

export const allowed = 'INVITE, ACK, CANCEL, BYE, OPTIONS, PRACK, UPDATE, INFO, NOTIFY'
const mostRoutes = 20

const contactOf = (message: SipMessage): string | null =>
  readNameAddress(header(message, 'contact') ?? '')?.uri ?? null

const routesOf = (message: SipMessage): string[] =>
  headersOf(message, 'record-route')
    .map((value) => readNameAddress(value)?.uri ?? '')
    .filter((uri) => readUri(uri))
    .slice(0, mostRoutes)

interface DialogParts {
  callId: string
  local: string
  remote: string
  localTag: string
  remoteTag: string
  routes: string[]
  remoteTarget: string
  localNumber: number
  remoteNumber: number | null
  flow: Flow
  contact: string
  pair: Pair | null
  takesInfo: boolean
  tls: TlsTerms
}

const allowsInfo = (message: SipMessage) => wordsOf(message, 'allow').includes('info')

/** Who two ends are to each other, and how one reaches the other (RFC 3261 12). */
export class DialogState {
  readonly key: string
  readonly contact: string
  readonly #stack: SipStack
  readonly #parts: DialogParts
  /** The flow for what begins here, once it is known. */
  #way: Promise<Flow> | null = null

  constructor(stack: SipStack, parts: DialogParts) {
    this.#stack = stack
    this.#parts = parts
    this.contact = parts.contact
    this.key = dialogKey(parts.callId, parts.localTag, parts.remoteTag)
  }

  static ofCaller(
    stack: SipStack,
    request: SipRequest,
    flow: Flow,
    localTag: string,
    contact: string,
  ): DialogState {
    return new DialogState(stack, {
      callId: request.callId,
      local: `<${request.to.uri}>;tag=${localTag}`,
      remote: header(request, 'from') ?? '',
      localTag,
      remoteTag: request.from.tag,
      routes: routesOf(request),
      remoteTarget: contactOf(request) ?? request.from.uri,
      localNumber: 0,
      remoteNumber: request.cseq.number,
      flow,
      contact,
      pair: null,
      takesInfo: allowsInfo(request),
      tls: {},
    })
  }

  static ofCallee(
    stack: SipStack,
    response: SipResponse,
    asked: { uri: string; flow: Flow; contact: string; pair: Pair | null; tls: TlsTerms },
  ): DialogState {
    return new DialogState(stack, {
      callId: response.callId,
      local: header(response, 'from') ?? '',
      remote: header(response, 'to') ?? '',
      localTag: response.from.tag,
      remoteTag: response.to.tag,
      routes: routesOf(response).toReversed(),
      remoteTarget: contactOf(response) ?? asked.uri,
      localNumber: response.cseq.number,
      remoteNumber: null,
      flow: asked.flow,
      contact: asked.contact,
      pair: asked.pair,
      takesInfo: allowsInfo(response),
      tls: asked.tls,
    })
  }

  /** The addresses that the far end says it is at. */
  get addresses(): string[] {
    const { flow, routes, remoteTarget } = this.#parts
    const hosts = [...routes, remoteTarget].map((uri) => readUri(uri)?.host ?? '')
    return [flow.address, ...hosts.filter((host) => host !== '')]
  }

  /** Where the far end was found to be. */
  get address(): string {
    return this.#parts.flow.address
  }

  /** Where a cold transfer has a caller dial numbers. */
  placeOf(terms: ReferPlace['terms'] | null): ReferPlace {
    const { remoteTarget, flow } = this.#parts
    return placeOfCaller(remoteTarget, `${flow.address}:${flow.port}`, terms ?? {})
  }

  /** Whether the far end said that it takes INFO. */
  get takesInfo(): boolean {
    return this.#parts.takesInfo
  }

  get localUri(): string {
    return readNameAddress(this.#parts.local)?.uri ?? ''
  }

  /** Whether a request is newer than those before; what comes late is not obeyed. */
  isNext({ cseq }: SipRequest): boolean {
    if (this.#parts.remoteNumber !== null && cseq.number <= this.#parts.remoteNumber) return false
    this.#parts.remoteNumber = cseq.number
    return true
  }

  /** A re-INVITE may move the far end. */
  refreshTarget(message: SipMessage): void {
    const contact = contactOf(message)
    if (!contact || contact === this.#parts.remoteTarget || !readUri(contact)) return
    this.#parts.remoteTarget = contact
    this.#way = null
  }

  /** The answer to the INVITE names the way that counts (RFC 3261 13.2.2.4). */
  confirm(response: SipResponse): void {
    this.#parts.routes = routesOf(response).toReversed()
    this.#way = null
    this.refreshTarget(response)
  }

  request(method: string, headers: Headers = [], body = ''): OutgoingRequest {
    return this.#written(method, ++this.#parts.localNumber, headers, body)
  }

  /** Its number is that of the INVITE. */
  acknowledgement(response: SipResponse, body = ''): OutgoingRequest {
    return this.#written(
      'ACK',
      response.cseq.number,
      body === '' ? [] : [['content-type', 'application/sdp']],
      body,
    )
  }

  #written(method: string, number: number, headers: Headers, body: string): OutgoingRequest {
    const { callId, local, remote, routes, remoteTarget } = this.#parts
    return {
      method,
      uri: remoteTarget,
      headers: [
        ['max-forwards', '70'],
        ['from', local],
        ['to', remote],
        ['call-id', callId],
        ['cseq', `${number} ${method}`],
        ...routes.map((uri) => ['route', `<${uri}>`] as const),
        ...(method === 'ACK' || method === 'BYE' ? [] : [['contact', this.contact] as const]),
        ...headers,
      ],
      body,
    }
  }

  /** The way to the far end; an open connection is kept. */
  way(): Promise<Flow> {
    const { flow } = this.#parts
    if (flow.isReliable && flow.isOpen) return Promise.resolve(flow)
    this.#way ??= this.#find().catch((error: unknown) => {
      this.#way = null
      throw error
    })
    return this.#way
  }

  async #find(): Promise<Flow> {
    const { flow, routes, remoteTarget, tls } = this.#parts
    const uri = readUri(routes[0] ?? remoteTarget)
    if (!uri || uri.host === '') return flow
    const said = uri.params.get('transport')?.toLowerCase()
    const transport: Protocol =
      uri.scheme === 'sips' || said === 'tls'
        ? 'tls'
        : said === 'tcp'
          ? 'tcp'
          : flow.isReliable
            ? flow.transport
            : 'udp'
    const [target] = await this.#stack.locate({ host: uri.host, port: uri.port, transport })
    if (!target || !this.isWithinReach(target.address)) return flow
    // Where the far end was found it proves the name that it was found by.
    const name = target.address === flow.address && flow.name !== '' ? flow.name : target.name
    return this.#stack.flowTo({ ...target, name, tls })
  }

  /** Behind address translation an end knows only its own address; and no far end makes us send to private addresses. */
  isWithinReach(address: string): boolean {
    const from = this.address
    return address === from || (!isOutOfReach(address, from) && this.#stack.options.mayDial(address))
  }

  /** Asks within the dialog and proves who we are if that is wanted; null without a response. */
  async ask(method: string, headers: Headers = [], body = ''): Promise<SipResponse | null> {
    const flow = await this.way()
    let request = this.request(method, headers, body)
    for (let attempt = 1; ; attempt++) {
      const response = await this.#stack.askOnce(request, flow)
      const proof = response && this.#proof(response, request.uri, method)
      if (!proof || attempt === 3) return response
      if (attempt === 2 && !isStale(challengesOf(response))) return response
      request = this.request(method, [...headers, proof], body)
    }
  }

  #proof(response: SipResponse, uri: string, method: string): readonly [string, string] | null {
    return this.#parts.pair && proofFor(response, method, uri, this.#parts.pair)
  }
}

const isOutOfReach = (address: string, from: string) =>
  (isPrivate(address) && !isPrivate(from)) || (isLoopback(address) && !isLoopback(from))

export const challengesOf = (response: SipResponse): string[] =>
  headersOf(response, response.status === 401 ? 'www-authenticate' : 'proxy-authenticate')

/** The header that answers a challenge; null when it was none, or is not for us to answer. */
export function proofFor(
  response: SipResponse,
  method: string,
  uri: string,
  pair: Pair,
): readonly [string, string] | null {
  if (response.status !== 401 && response.status !== 407) return null
  const answer = answerChallenge(challengesOf(response), method, uri, pair)
  return answer === null ? null : [response.status === 401 ? 'authorization' : 'proxy-authorization', answer]
}
