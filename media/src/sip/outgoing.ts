import { withoutAccount } from '@switchroom/contract/extensions'
import { writtenNumber } from '../number-form.ts'
import { MediaError } from '../plane.ts'
import { SipCall } from './call.ts'
import { type SipDialog, SipRefused, SipUnanswered } from './calls.ts'
import type { OutgoingRequest } from './client-transaction.ts'
import { allowed, challengesOf, DialogState, proofFor } from './dialog-state.ts'
import { isStale } from './digest.ts'
import { EarlyCallees } from './early-callees.ts'
import type { Flow, Target } from './flow.ts'
import { asFailure, type Failure, failure, hungUp, isMeant, unreached } from './dial-failure.ts'
import { DialTargets } from './dial-targets.ts'
import { type Identity, identityHeaders } from './identity-headers.ts'
import type { SipResponse } from './message.ts'
import { LocalDescription } from './offer.ts'
import { type Hop, isRedirect, Redirects } from './redirects.ts'
import { placeOfTrunk } from './referral.ts'
import { sdpType } from './session.ts'
import { inBrackets, type SipStack } from './stack.ts'
import { readHostPort, readUri } from './syntax.ts'
import { giveUpMs, moveOnMs } from './timing.ts'
import { tlsTermsOf } from './tls-terms.ts'
import { newToken } from './transactions.ts'

export interface Dialling extends Identity {
  to: string
  signal: AbortSignal
  /** Another carrier is asked next, so that no address of this one is waited for long. */
  hasNext?: boolean
}

const terminated = () => new SipUnanswered(487, 'Request Terminated', 'the call was given up')
const timedOut = () => new SipUnanswered(408, 'Request Timeout', 'the carrier did not answer')

/** Dials through a trunk; an abort hangs up in every state. */
export async function dial(stack: SipStack, dialling: Dialling): Promise<SipDialog> {
  const { signal, trunk } = dialling
  const place = readHostPort(trunk.hostname)
  if (!place) throw new MediaError(`${trunk.hostname} is no host`)
  if (stack.isFull) throw new SipRefused(503, 'Service Unavailable')
  const first = { uri: addressOf(dialling), place: { ...place, transport: trunk.transport } }
  if (signal.aborted) throw terminated()
  const targets = new DialTargets(stack, trunk)
  try {
    return await new Dial(stack, dialling, targets, first).by(first)
  } finally {
    // What is still on its way when the call is given up is heard out.
    setTimeout(() => targets.forgetPeers(), 2 * giveUpMs(stack.options.timing)).unref()
  }
}

class Dial {
  readonly #stack: SipStack
  readonly #dialling: Dialling
  readonly #targets: DialTargets
  /** Of the hop that is being asked. */
  #uri: string
  readonly #to: string
  readonly #callId = newToken()
  readonly #tag = newToken()
  readonly #port: number
  #number = 0
  #hasRung = false
  /** Who rings at the address that is asked now. */
  #early: EarlyCallees | null = null

  constructor(stack: SipStack, dialling: Dialling, targets: DialTargets, { uri }: Hop) {
    this.#stack = stack
    this.#dialling = dialling
    this.#targets = targets
    this.#uri = uri
    this.#to = uri.split(';')[0] ?? uri
    this.#port = stack.options.allocatePort()
  }

  /** The trunk, and then wherever it sends the call on to. */
  async by(first: Hop): Promise<SipDialog> {
    const redirects = new Redirects(first, this.#dialling)
    const hops = [first]
    let refusal: MediaError = timedOut()
    try {
      for (const [at, hop] of hops.entries()) {
        const found = await this.#over(hop, at === hops.length - 1).catch(asFailure)
        if (!('refusal' in found)) return found
        refusal = found.refusal
        const { response } = found
        if (this.#dialling.signal.aborted || (response && isMeant(response))) break
        if (!response || !isRedirect(response)) continue
        const further = redirects.read(response, hop)
        if (further instanceof SipRefused) refusal = further
        else hops.push(...further)
      }
    } catch (error) {
      this.#stack.options.releasePort(this.#port)
      throw error
    } finally {
      this.#early?.end()
    }
    this.#stack.options.releasePort(this.#port)
    if (refusal instanceof SipRefused) refusal.hasRung = this.#hasRung
    throw refusal
  }

  /** One address after the other until one responds. */
  async #over(hop: Hop, isLastHop: boolean): Promise<SipDialog | Failure> {
    const targets = await this.#targets.of(hop.place)
    if (this.#dialling.signal.aborted) throw terminated()
    this.#uri = hop.uri
    let failed = failure(timedOut())
    const isEnd = isLastHop && !this.#dialling.hasNext
    for (const [at, target] of targets.entries()) {
      const found = await this.#at(target, isEnd && at === targets.length - 1)
      if (!('refusal' in found)) return found
      failed = found
      this.#stack.avoided.remember(target, failed.response)
      if (failed.response && failed.response.status !== 503) break
    }
    return failed
  }

  /** An old connection may lead nowhere any more: another one is opened before the address is given up. */
  async #at(target: Target, isLast: boolean, isAgain = false): Promise<SipDialog | Failure> {
    const { transport, options } = this.#stack
    const isOld = transport.isStanding(target) && !isAgain
    const soonMs = moveOnMs(options.timing)
    const opened = await this.#stack
      .flowTo(target, isLast ? undefined : soonMs)
      .catch((error: unknown) => failure(unreached(target, error)))
    if (this.#dialling.signal.aborted) throw terminated()
    if ('refusal' in opened) return opened
    const { encryption = 'off' } = this.#dialling.trunk
    const description = new LocalDescription(this.#stack.addressFor(opened.address), this.#port, encryption)
    this.#early?.end()
    this.#early = new EarlyCallees({
      stack: this.#stack,
      description,
      peers: this.#targets.peers,
      stateOf: (response) => this.#state(response, opened),
    })
    const patienceMs = isLast && !isOld ? null : soonMs
    let final = await this.#ask(opened, description.offer(), patienceMs)
    while (final.response?.status === 488 && description.offerOtherwise())
      final = await this.#ask(opened, description.offer(), patienceMs)
    const { response, acknowledge } = final
    if (response && response.status < 300) return this.#answered(response, opened, description, acknowledge)
    if (response) return failure(new SipRefused(response.status, response.reason), response)
    if (!isOld) return failure(opened.isOpen ? timedOut() : hungUp(target, opened.failure))
    transport.forget(target)
    return this.#at(target, isLast, true)
  }

  async #answered(
    response: SipResponse,
    flow: Flow,
    description: LocalDescription,
    acknowledge: (state: DialogState) => Promise<void>,
  ): Promise<SipDialog> {
    this.#hasRung = true
    const state = this.#early?.confirm(response) ?? this.#state(response, flow)
    const farEnd = this.#early?.farEndOf(response) ?? null
    // Nothing within the call may overtake it.
    await acknowledge(state)
    if (!farEnd || this.#stack.dialogs.has(state.key)) {
      void state.ask('BYE').catch(() => {})
      throw new SipRefused(488, 'Not Acceptable Here')
    }
    const address = this.#stack.localAddressFor(flow.address)
    const local = { port: this.#port, address, description }
    const place = placeOfTrunk(this.#dialling.trunk)
    const peers = [flow.address, ...this.#targets.peers]
    const call = new SipCall(this.#stack, state, local, peers, place).watch()
    call.session.agree(farEnd)
    return call
  }

  #state(response: SipResponse, flow: Flow): DialogState {
    return DialogState.ofCallee(this.#stack, response, {
      uri: this.#uri,
      flow,
      contact: this.#stack.contact(flow, withoutAccount(this.#dialling.from)),
      pair: this.#pair,
      tls: tlsTermsOf(this.#dialling.trunk),
    })
  }

  get #pair() {
    const { auth_username: username, auth_password: password } = this.#dialling.trunk
    return username === '' ? null : { username, password }
  }

  /** Asks until the far end believes who we are. */
  async #ask(flow: Flow, offer: string, patienceMs: number | null) {
    let request = this.#request(flow, offer)
    for (let attempt = 1; ; attempt++) {
      const final = await this.#askOnce(request, flow, patienceMs)
      const { response } = final
      const proof = response && this.#pair && proofFor(response, 'INVITE', this.#uri, this.#pair)
      if (!proof || attempt === 3 || (attempt === 2 && !isStale(challengesOf(response)))) return final
      request = this.#request(flow, offer, proof)
    }
  }

  #request(flow: Flow, offer: string, proof?: readonly [string, string]): OutgoingRequest {
    const { trunk, from } = this.#dialling
    const host = trunk.from_domain ?? inBrackets(this.#stack.addressFor(flow.address))
    return {
      method: 'INVITE',
      uri: this.#uri,
      headers: [
        ['max-forwards', '70'],
        ...identityHeaders(this.#dialling, host, this.#tag),
        ['to', `<${this.#to}>`],
        ['call-id', this.#callId],
        ['cseq', `${++this.#number} INVITE`],
        ['contact', this.#stack.contact(flow, writtenNumber(from, trunk))],
        ['allow', allowed],
        ['supported', '100rel'],
        ['user-agent', 'switchroom'],
        ...(proof ? [proof] : []),
        sdpType,
      ],
      body: offer,
    }
  }

  /**
   * The first final answer, and how to acknowledge it: again whenever it comes again. None if nothing at all is heard
   * for as long as there is patience.
   */
  async #askOnce(request: OutgoingRequest, flow: Flow, patienceMs: number | null) {
    const { signal } = this.#dialling
    if (signal.aborted) throw terminated()
    type Final = { response: SipResponse | null; acknowledge: (state: DialogState) => Promise<void> }
    const { promise, resolve, reject } = Promise.withResolvers<Final>()
    let [isTold, isRinging, resend] = [false, false, () => {}]
    let taken: string | null = null
    let hasMovedOn = false
    const early = this.#early
    const transaction = this.#stack.ask(request, flow, (response) => {
      clearTimeout(movingOn)
      const isUnwanted = signal.aborted || hasMovedOn
      if (response && response.status < 200) {
        if (isUnwanted && !isRinging) this.#stack.transactions.cancel(transaction, flow)
        isRinging = true
        this.#hasRung ||= response.status > 100 && !hasMovedOn
        if (!hasMovedOn) early?.take(response)
      } else if (response && response.status < 300 && taken === response.to.tag) resend()
      // Another branch answered too, or the dial was aborted just then.
      else if (response && response.status < 300 && (isTold || isUnwanted))
        void this.#refuse(response, flow, early)
      else {
        taken = response?.to.tag ?? ''
        isTold = true
        signal.removeEventListener('abort', giveUp)
        const acknowledge = async (state: DialogState) => {
          if (response) resend = await this.#acknowledge(state, response)
        }
        resolve({ response, acknowledge })
      }
    })
    const giveUp = () => {
      clearTimeout(movingOn)
      if (isRinging) this.#stack.transactions.cancel(transaction, flow)
      reject(terminated())
    }
    signal.addEventListener('abort', giveUp, { once: true })
    const moveOn = () => {
      hasMovedOn = true
      signal.removeEventListener('abort', giveUp)
      resolve({ response: null, acknowledge: async () => {} })
    }
    const movingOn = patienceMs === null ? undefined : setTimeout(moveOn, patienceMs)
    return promise
  }

  async #refuse(response: SipResponse, flow: Flow, early: EarlyCallees | null): Promise<void> {
    const state = early?.confirm(response) ?? this.#state(response, flow)
    await this.#acknowledge(state, response)
    await state.ask('BYE').catch(() => {})
  }

  /** Sends it, and answers how to send it again. */
  async #acknowledge(state: DialogState, response: SipResponse): Promise<() => void> {
    const way = await state.way().catch(() => null)
    if (!way) return () => {}
    const bytes = this.#stack.unanswered(state.acknowledgement(response), way)
    way.send(bytes)
    return () => way.send(bytes)
  }
}

/** A number is dialled at the trunk's host; an address is asked for as it is. */
function addressOf({ to, trunk }: Dialling): string {
  const { hostname, transport } = trunk
  const uri = /^sips?:/i.test(to)
    ? to
    : `sip:${writtenNumber(to, trunk)}@${hostname}${transport === 'udp' ? '' : `;transport=${transport}`}`
  if (!readUri(uri) || /[<>"\s]/.test(uri))
    throw new MediaError(`${to} is neither a number nor a SIP address`)
  return uri
}
