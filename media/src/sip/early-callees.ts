import { MediaError } from '../plane.ts'
import { allowed, type DialogState } from './dialog-state.ts'
import { header, type SipRequest, type SipResponse, unknownIn, wordsOf } from './message.ts'
import type { FarEnd, LocalDescription } from './offer.ts'
import type { ServerTransaction } from './server-transaction.ts'
import { offerIn, sdpType, warning } from './session.ts'
import type { EarlyDialog, SipStack } from './stack.ts'

/** Of those that a trunk rings at once. */
const mostRinging = 16
/** Of those that one phone wants acknowledged. */
const mostReports = 64

export interface EarlyCalleesParts {
  stack: SipStack
  description: LocalDescription
  /** The addresses that are dialled. */
  peers: readonly string[]
  stateOf: (response: SipResponse) => DialogState
}

/** Everyone whom one dial rings, until one of them answers. What they play meanwhile is not listened to. */
export class EarlyCallees {
  readonly #parts: EarlyCalleesParts
  readonly #ringing = new Map<string, EarlyCallee>()

  constructor(parts: EarlyCalleesParts) {
    this.#parts = parts
  }

  /** A report of progress. */
  take(response: SipResponse): void {
    const { tag } = response.to
    if (tag === '') return
    let callee = this.#ringing.get(tag)
    if (!callee) {
      if (this.#ringing.size >= mostRinging) return
      callee = new EarlyCallee(this.#parts, this.#parts.stateOf(response))
      this.#ringing.set(tag, callee)
    }
    callee.take(response)
  }

  /** The dialog that an answer confirms; what was asked in it while it rang is counted on. */
  confirm(response: SipResponse): DialogState {
    const callee = this.#ringing.get(response.to.tag)
    if (!callee) return this.#parts.stateOf(response)
    callee.state.confirm(response)
    return callee.state
  }

  /** What the one who answered has described of their sound; null if it does not fit. */
  farEndOf({ to: { tag }, body }: SipResponse): FarEnd | null {
    const callee = this.#ringing.get(tag)
    return body.trim() === '' ? (callee?.farEnd ?? null) : answerIn(this.#parts.description, body)
  }

  end(): void {
    for (const callee of this.#ringing.values()) callee.end()
  }
}

/** One phone that rings. */
class EarlyCallee implements EarlyDialog {
  readonly key: string
  readonly state: DialogState
  readonly #parts: EarlyCalleesParts
  #farEnd: FarEnd | null = null
  /** Whether our offer counts as answered. */
  #isAgreed = false
  #lastReport: number | null = null
  #reports = 0

  constructor(parts: EarlyCalleesParts, state: DialogState) {
    this.#parts = parts
    this.state = state
    this.key = state.key
    parts.stack.early.set(this.key, this)
  }

  get farEnd(): FarEnd | null {
    return this.#farEnd
  }

  end(): void {
    const { early } = this.#parts.stack
    if (early.get(this.key) === this) early.delete(this.key)
  }

  take(response: SipResponse): void {
    const number = reportNumber(response)
    if (number !== null) {
      // One that comes again was acknowledged, and one that comes too early will come again.
      const isNext = this.#lastReport === null || number === this.#lastReport + 1
      if (!isNext || this.#reports >= mostReports) return
      this.#lastReport = number
      this.#reports += 1
      const rack = ['rack', `${number} ${response.cseq.number} INVITE`] as const
      void this.state.ask('PRACK', [rack]).catch(() => {})
    }
    if (response.body.trim() === '') return
    const answer = answerIn(this.#parts.description, response.body)
    this.#farEnd = answer ?? this.#farEnd
    if (answer && number !== null) this.#isAgreed = true
  }

  isNext(request: SipRequest): boolean {
    return this.state.isNext(request)
  }

  isPeer(address: string): boolean {
    return this.#parts.peers.includes(address) || this.state.addresses.includes(address)
  }

  acknowledge(): void {
    // They were asked nothing that has an ACK.
  }

  receive(transaction: ServerTransaction): void {
    const { request } = transaction
    const unknown = unknownIn(request)
    if (unknown) return transaction.answer(420, { headers: [unknown] })
    if (request.method === 'UPDATE') return this.#change(transaction)
    // The callee says no by their answer to the INVITE, and nothing else ends the ringing.
    const isTaken = ['BYE', 'OPTIONS', 'INFO'].includes(request.method)
    return transaction.answer(isTaken ? 200 : 405, { headers: [['allow', allowed]] })
  }

  #change(transaction: ServerTransaction): void {
    const { request } = transaction
    const { description } = this.#parts
    const headers = [['contact', this.state.contact] as const, ['allow', allowed] as const]
    const hasOffer = request.body.trim() !== ''
    // Our own offer is not answered yet (RFC 3311 5.2).
    if (hasOffer && !this.#isAgreed) return transaction.answer(491)
    const offer = offerIn(request, (text) => description.readOffer(text))
    if (offer instanceof MediaError) return transaction.answer(488, { headers: [warning(offer)] })
    this.state.refreshTarget(request)
    if (!offer) return transaction.answer(200, { headers })
    this.#farEnd = offer
    return transaction.answer(200, { headers: [...headers, sdpType], body: description.answer(offer) })
  }
}

/** Null if the report need not be acknowledged. */
function reportNumber(response: SipResponse): number | null {
  if (!wordsOf(response, 'require').includes('100rel')) return null
  const said = header(response, 'rseq')?.trim() ?? ''
  return response.status > 100 && /^[1-9]\d{0,9}$/.test(said) ? Number(said) : null
}

function answerIn(description: LocalDescription, body: string): FarEnd | null {
  try {
    return description.readAnswer(body)
  } catch (error) {
    if (error instanceof MediaError) return null
    throw error
  }
}
