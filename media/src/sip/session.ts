import { MediaError } from '../plane.ts'
import type { MediaTerms } from '../rtp/media-terms.ts'
import type { ClientTransaction } from './client-transaction.ts'
import { allowed, type DialogState } from './dialog-state.ts'
import { header, type Headers, type SipRequest, type SipResponse } from './message.ts'
import { type FarEnd, type LocalDescription, refused } from './offer.ts'
import type { ServerTransaction } from './server-transaction.ts'
import { isNowhere } from './sound-address.ts'
import { agreeing, readRefreshing, SessionTimer, shortestSessionS } from './session-timer.ts'
import type { SipStack } from './stack.ts'

export interface LocalEnd {
  port: number
  address: string
  description: LocalDescription
}

/** How hold was once said. */
const nowhere = '0.0.0.0'

export const sdpType = ['content-type', 'application/sdp'] as const

/** What the two ends of a call agreed on, and how they change it. */
export class SipSession {
  readonly #stack: SipStack
  readonly #state: DialogState
  readonly #local: LocalEnd
  readonly #onLost: () => void
  readonly #timer: SessionTimer
  #farEnd: FarEnd | null = null
  #terms: MediaTerms | null = null
  #onTerms: (terms: MediaTerms, isHeld: boolean) => void = () => {}
  /** Theirs that we answered with a 2xx, until they acknowledge it. */
  #theirs: ServerTransaction | null = null
  /** Whether what we answered it with was the offer, so that its ACK brings the answer. */
  #isOfferOurs = false
  #ours: ClientTransaction | null = null
  #retry: NodeJS.Timeout | undefined
  readonly #agreed = Promise.withResolvers<void>()
  readonly #established = Promise.withResolvers<void>()
  #acknowledged = Promise.withResolvers<void>()

  constructor(stack: SipStack, state: DialogState, local: LocalEnd, onLost: () => void) {
    this.#stack = stack
    this.#state = state
    this.#local = local
    this.#onLost = onLost
    this.#timer = new SessionTimer(() => void this.#refresh(), onLost)
    this.#agreed.promise.catch(() => {})
    this.#established.promise.catch(() => {})
    this.#acknowledged.resolve()
  }

  get terms(): MediaTerms {
    if (!this.#terms) throw new MediaError('nothing is agreed yet')
    return this.#terms
  }

  /** Resolves when there are terms, rejects when there never will be. */
  get agreed(): Promise<void> {
    return this.#agreed.promise
  }

  /** Resolves when there are terms and the caller acknowledged them, rejects when they never will. */
  get established(): Promise<void> {
    return this.#established.promise
  }

  /** Resolves once no answer of ours waits for their ACK. */
  get acknowledged(): Promise<void> {
    return this.#acknowledged.promise
  }

  onTermsChanged(listener: (terms: MediaTerms, isHeld: boolean) => void): void {
    this.#onTerms = listener
    // The first listener gets the changes that came before it.
    if (this.#farEnd?.isHeld)
      queueMicrotask(() => this.#terms && listener(this.#terms, this.#farEnd?.isHeld ?? false))
  }

  agree(farEnd: FarEnd): void {
    const before = JSON.stringify([this.#terms, this.#farEnd?.isHeld])
    const isFirst = this.#terms === null
    this.#farEnd = farEnd
    this.#terms = termsOf(this.#local, farEnd, this.#state)
    this.#agreed.resolve()
    if (!isFirst && JSON.stringify([this.#terms, farEnd.isHeld]) !== before)
      this.#onTerms(this.#terms, farEnd.isHeld)
  }

  /** Answers the INVITE that began the call, or one that changes it. Throws `MediaError` if the offer does not fit. */
  answer(invite: ServerTransaction, offer: FarEnd | null, tag?: string): void {
    const { description } = this.#local
    const body = offer
      ? description.answer(offer)
      : this.#farEnd
        ? description.agreed(this.#farEnd)
        : description.offer()
    if (offer) this.agree(offer)
    this.#isOfferOurs = !offer
    this.#answerWith(invite, body, tag)
  }

  /** Answers the INVITE that began the call, in terms that were agreed on while it rang. */
  confirm(invite: ServerTransaction, farEnd: FarEnd, tag: string): void {
    this.agree(farEnd)
    this.#isOfferOurs = false
    this.#answerWith(invite, '', tag)
  }

  #answerWith(invite: ServerTransaction, body: string, tag?: string): void {
    const refreshing = readRefreshing(invite.request)
    this.#theirs = invite
    this.#acknowledged = Promise.withResolvers<void>()
    invite.onUnacknowledged(() => {
      this.#settle()
      this.#refuse(unacknowledged())
      this.#onLost()
    })
    invite.answer(200, {
      ...(tag && { tag }),
      headers: this.#headers(refreshing ? agreeing(refreshing) : [], body !== ''),
      body,
    })
    this.#timer.start(refreshing)
  }

  /** The ACK of an answer; it carries theirs if ours was the offer. */
  acknowledge(request: SipRequest): void {
    if (this.#theirs?.request.cseq.number !== request.cseq.number) return
    this.#theirs.acknowledge()
    this.#settle()
    try {
      if (this.#isOfferOurs) this.agree(this.#local.description.readAnswer(request.body))
      this.#established.resolve()
    } catch (error) {
      // Terms agreed on before stay valid.
      if (!(error instanceof MediaError)) throw error
      this.#refuse(error)
      if (!this.#terms) this.#onLost()
    }
  }

  receive(transaction: ServerTransaction): void {
    const { request } = transaction
    const refreshing = readRefreshing(request)
    if (this.#ours && !this.#ours.isFinal) return transaction.answer(491)
    if (this.#theirs) return transaction.answer(500, { headers: [['retry-after', '2']] })
    if (refreshing && refreshing.seconds < shortestSessionS)
      return transaction.answer(422, { headers: [['min-se', String(shortestSessionS)]] })
    const offer = offerIn(request, (text) => this.#local.description.readOffer(text))
    if (offer instanceof MediaError) return transaction.answer(488, { headers: [warning(offer)] })
    this.#state.refreshTarget(request)
    if (request.method === 'INVITE') return this.answer(transaction, offer)
    if (offer) this.agree(offer)
    this.#timer.start(refreshing)
    const agreement = refreshing ? agreeing(refreshing) : []
    if (!offer) return transaction.answer(200, { headers: [['contact', this.#state.contact], ...agreement] })
    return transaction.answer(200, {
      headers: this.#headers(agreement),
      body: this.#local.description.answer(offer),
    })
  }

  /** They hung up, whether or not our last answer reached them. */
  conclude(): void {
    this.#theirs?.acknowledge()
    this.#settle()
  }

  end(): void {
    this.#timer.stop()
    clearTimeout(this.#retry)
    this.#refuse(new MediaError('the call is over'))
  }

  /** Their ACK is not waited for any longer. */
  drop(): void {
    this.#theirs?.end()
    this.#settle()
    this.#refuse(unacknowledged())
  }

  #refuse(why: MediaError): void {
    this.#agreed.reject(why)
    this.#established.reject(why)
  }

  #headers(more: Headers, isDescribed = true): Headers {
    const usual = [['contact', this.#state.contact] as const, ['allow', allowed] as const]
    return [...usual, ['supported', 'timer, 100rel'], ...more, ...(isDescribed ? [sdpType] : [])]
  }

  #settle(): void {
    this.#theirs = null
    this.#acknowledged.resolve()
  }

  /** Says that the call continues, in the terms agreed on. */
  async #refresh(): Promise<void> {
    if (!this.#farEnd || (this.#ours && !this.#ours.isFinal)) return
    if (this.#theirs) return this.#refreshIn(2_000)
    try {
      const flow = await this.#state.way()
      const headers = [...this.#timer.headers, ['allow', allowed] as const, sdpType]
      const body = this.#local.description.agreed(this.#farEnd)
      let acknowledgement: Buffer | null = null
      this.#ours = this.#stack.ask(this.#state.request('INVITE', headers, body), flow, (response) => {
        // one that only says that it tries would hold up every other change for ever
        if (response && response.status < 200) return this.#ours?.limit()
        if (!response || response.status === 481 || response.status === 408) return this.#onLost()
        if (response.status === 491) return this.#refreshIn(Math.random() * 2_000)
        this.#timer.restart()
        if (response.status >= 300) return
        acknowledgement ??= this.#stack.unanswered(this.#state.acknowledgement(response), flow)
        flow.send(acknowledgement)
        this.#takeAnswer(response)
      })
    } catch {
      this.#onLost()
    }
  }

  #refreshIn(ms: number): void {
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => void this.#refresh(), ms)
  }

  #takeAnswer(response: SipResponse): void {
    try {
      this.agree(this.#local.description.readAnswer(response.body))
    } catch (error) {
      if (!(error instanceof MediaError)) throw error
    }
  }
}

const unacknowledged = () => new MediaError('the caller did not acknowledge the answer')

/** What the two agree on; while the far end has said nothing, what we would offer it, and no address to send to. */
export function termsOf({ port, address, description }: LocalEnd, farEnd: FarEnd | null, state: DialogState) {
  const { terms } = farEnd ?? description.readOffer(description.offer())
  const security = description.securityWith(farEnd)
  const remoteAddress = farEnd ? soundOf(farEnd, state) : nowhere
  const signalledFrom = state.address
  return {
    localPort: port,
    localAddress: address,
    ...terms,
    remoteAddress,
    signalledFrom,
    ...(terms.tonePayloadType === null && state.takesInfo && { takesInfo: true as const }),
    ...(security && { security }),
  } satisfies MediaTerms
}

/** Sound for a place that nothing may be sent to goes to the address that the call came from. */
function soundOf({ terms: { remoteAddress } }: FarEnd, state: DialogState): string {
  const isSent = isNowhere(remoteAddress) || state.isWithinReach(remoteAddress)
  return isSent ? remoteAddress : state.address
}

/** Null if there is none; an error that says what does not fit, if one does not. */
export function offerIn(request: SipRequest, read: (text: string) => FarEnd): FarEnd | null | MediaError {
  if (request.body.trim() === '') return null
  const type = header(request, 'content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/sdp' || header(request, 'content-encoding')) return refused('it is no plain SDP')
  try {
    return read(request.body)
  } catch (error) {
    if (!(error instanceof MediaError)) throw error
    return error
  }
}

/** Why it is refused, for the far end's operator. */
export const warning = ({ message }: MediaError) => ['warning', `399 switchroom "${message}"`] as const
