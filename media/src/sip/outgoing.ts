import { wordsOfConnecting } from '../failure-words.ts'
import { writtenNumber } from '../number-form.ts'
import { MediaError } from '../plane.ts'
import { SipCall } from './call.ts'
import { type SipDialog, SipRefused, type SipTrunk, SipUnanswered } from './calls.ts'
import type { OutgoingRequest } from './client-transaction.ts'
import { allowed, challengesOf, DialogState, proofFor } from './dialog-state.ts'
import { isStale } from './digest.ts'
import { EarlyCallees } from './early-callees.ts'
import type { Flow, Target } from './flow.ts'
import { locate } from './location.ts'
import type { SipResponse } from './message.ts'
import { LocalDescription } from './offer.ts'
import { placeOfTrunk } from './referral.ts'
import { sdpType } from './session.ts'
import type { SipStack } from './stack.ts'
import { readHostPort, readUri } from './syntax.ts'
import { giveUpMs } from './timing.ts'
import { newToken } from './transactions.ts'

export interface Dialling {
  to: string
  from: string
  trunk: SipTrunk
  signal: AbortSignal
}

const terminated = () => new SipUnanswered(487, 'Request Terminated', 'the call was given up')
const timedOut = () => new SipUnanswered(408, 'Request Timeout', 'the carrier did not answer')

/** Dials through a trunk; an abort hangs up in every state. */
export async function dial(stack: SipStack, dialling: Dialling): Promise<SipDialog> {
  const { signal, trunk } = dialling
  const place = readHostPort(trunk.hostname)
  if (!place) throw new MediaError(`${trunk.hostname} is no host`)
  if (stack.isFull) throw new SipRefused(503, 'Service Unavailable')
  const found = await locate({ ...place, transport: trunk.transport })
  if (signal.aborted) throw terminated()
  const targets = found.filter(({ address }) => stack.options.mayDial(address))
  if (targets.length === 0) throw new MediaError(`${place.host} is at an address that may not be dialled`)
  const peers = [...new Set(targets.map(({ address }) => address))]
  for (const peer of peers) stack.peers.add(peer)
  // What is still on its way when the call is given up is heard out.
  const forget = () => {
    for (const peer of peers) stack.peers.remove(peer)
  }
  try {
    return await new Dial(stack, dialling).over(targets, peers)
  } finally {
    setTimeout(forget, 2 * giveUpMs(stack.options.timing)).unref()
  }
}

class Dial {
  readonly #stack: SipStack
  readonly #dialling: Dialling
  readonly #uri: string
  readonly #callId = newToken()
  readonly #tag = newToken()
  readonly #port: number
  #number = 0
  #early: EarlyCallees | null = null

  constructor(stack: SipStack, dialling: Dialling) {
    this.#stack = stack
    this.#dialling = dialling
    this.#uri = addressOf(dialling)
    this.#port = stack.options.allocatePort()
  }

  /** One address after the other until one responds. */
  async over(targets: readonly Target[], peers: readonly string[]): Promise<SipDialog> {
    let refusal: SipRefused = timedOut()
    try {
      for (const target of targets) {
        const flow = await this.#stack.flowTo(target).catch((error: unknown) => {
          refusal = new SipUnanswered(503, 'No Connection', wordsOfConnecting(target.name, error))
          return null
        })
        if (this.#dialling.signal.aborted) throw terminated()
        if (!flow) continue
        const { encryption = 'off' } = this.#dialling.trunk
        const description = new LocalDescription(this.#stack.addressFor(flow.address), this.#port, encryption)
        this.#early?.end()
        this.#early = new EarlyCallees({
          stack: this.#stack,
          description,
          peers,
          stateOf: (response) => this.#state(response, flow),
        })
        let final = await this.#ask(flow, description.offer())
        while (final.response?.status === 488 && description.offerOtherwise())
          final = await this.#ask(flow, description.offer())
        const { response, acknowledge } = final
        if (response && response.status < 300)
          return await this.#answered(response, flow, description, peers, acknowledge)
        refusal = response ? new SipRefused(response.status, response.reason) : timedOut()
        if (response && response.status !== 503) break
      }
    } catch (error) {
      this.#stack.options.releasePort(this.#port)
      throw error
    } finally {
      this.#early?.end()
    }
    this.#stack.options.releasePort(this.#port)
    throw refusal
  }

  async #answered(
    response: SipResponse,
    flow: Flow,
    description: LocalDescription,
    peers: readonly string[],
    acknowledge: (state: DialogState) => Promise<void>,
  ): Promise<SipDialog> {
    const state = this.#early?.confirm(response) ?? this.#state(response, flow)
    const farEnd = this.#early?.farEndOf(response) ?? null
    // Nothing within the call may overtake it.
    await acknowledge(state)
    if (!farEnd || this.#stack.dialogs.has(state.key)) {
      void state.ask('BYE').catch(() => {})
      throw new SipRefused(488, 'Not Acceptable Here')
    }
    const local = { port: this.#port, address: this.#stack.options.host, description }
    const place = placeOfTrunk(this.#dialling.trunk)
    const call = new SipCall(this.#stack, state, local, [flow.address, ...peers], place).watch()
    call.session.agree(farEnd)
    return call
  }

  #state(response: SipResponse, flow: Flow): DialogState {
    return DialogState.ofCallee(this.#stack, response, {
      uri: this.#uri,
      flow,
      contact: this.#stack.contact(flow, this.#dialling.from),
      pair: this.#pair,
    })
  }

  get #pair() {
    const { auth_username: username, auth_password: password } = this.#dialling.trunk
    return username === '' ? null : { username, password }
  }

  /** Asks until the far end believes who we are. */
  async #ask(flow: Flow, offer: string) {
    let request = this.#request(flow, offer)
    for (let attempt = 1; ; attempt++) {
      const final = await this.#askOnce(request, flow)
      const { response } = final
      const proof = response && this.#pair && proofFor(response, 'INVITE', this.#uri, this.#pair)
      if (!proof || attempt === 3 || (attempt === 2 && !isStale(challengesOf(response)))) return final
      request = this.#request(flow, offer, proof)
    }
  }

  #request(flow: Flow, offer: string, proof?: readonly [string, string]): OutgoingRequest {
    const { trunk } = this.#dialling
    const from = writtenNumber(this.#dialling.from, trunk)
    const host = trunk.from_domain ?? this.#stack.addressFor(flow.address)
    const caller = `sip:${from === '' ? 'anonymous' : encodeURI(from)}@${host}`
    const to = this.#uri.split(';')[0] ?? this.#uri
    return {
      method: 'INVITE',
      uri: this.#uri,
      headers: [
        ['max-forwards', '70'],
        ['from', `<${caller}>;tag=${this.#tag}`],
        ...(trunk.identity === 'p_asserted_identity' && from !== ''
          ? [['p-asserted-identity', `<${caller}>`] as const]
          : []),
        ['to', `<${to}>`],
        ['call-id', this.#callId],
        ['cseq', `${++this.#number} INVITE`],
        ['contact', this.#stack.contact(flow, from)],
        ['allow', allowed],
        ['supported', '100rel'],
        ['user-agent', 'switchroom'],
        ...(proof ? [proof] : []),
        sdpType,
      ],
      body: offer,
    }
  }

  /** The first final answer, and how to acknowledge it: again whenever it comes again. */
  async #askOnce(request: OutgoingRequest, flow: Flow) {
    const { signal } = this.#dialling
    if (signal.aborted) throw terminated()
    type Final = { response: SipResponse | null; acknowledge: (state: DialogState) => Promise<void> }
    const { promise, resolve, reject } = Promise.withResolvers<Final>()
    let [isTold, isRinging, resend] = [false, false, () => {}]
    let taken: string | null = null
    const transaction = this.#stack.ask(request, flow, (response) => {
      if (response && response.status < 200) {
        if (signal.aborted && !isRinging) this.#stack.transactions.cancel(transaction, flow)
        isRinging = true
        this.#early?.take(response)
      } else if (response && response.status < 300 && taken === response.to.tag) resend()
      // Another branch answered too, or the dial was aborted just then.
      else if (response && response.status < 300 && (isTold || signal.aborted))
        void this.#refuse(response, flow)
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
      if (isRinging) this.#stack.transactions.cancel(transaction, flow)
      reject(terminated())
    }
    signal.addEventListener('abort', giveUp, { once: true })
    return promise
  }

  async #refuse(response: SipResponse, flow: Flow): Promise<void> {
    const state = this.#early?.confirm(response) ?? this.#state(response, flow)
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
