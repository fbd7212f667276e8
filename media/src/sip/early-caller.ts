import { MediaError } from '../plane.ts'
import { SipRefused } from './calls.ts'
import { allowed, type DialogState } from './dialog-state.ts'
import { type SipRequest, unknownIn } from './message.ts'
import type { FarEnd, LocalDescription } from './offer.ts'
import { demandsReliable, ReliableAnswers } from './reliable-answers.ts'
import type { Answer, ServerTransaction } from './server-transaction.ts'
import { offerIn, sdpType, warning } from './session.ts'
import type { EarlyDialog, SipStack } from './stack.ts'

export interface EarlyCallerParts {
  stack: SipStack
  invite: ServerTransaction
  state: DialogState
  tag: string
  offer: FarEnd | null
  /** They hung up before they were answered. */
  onGone: () => void
}

/** A caller from the first sign that it rings until they are answered. */
export class EarlyCaller implements EarlyDialog {
  readonly key: string
  readonly #parts: EarlyCallerParts
  readonly #reliable: ReliableAnswers | null
  #farEnd: FarEnd | null = null
  #description: LocalDescription | null = null
  #rung: Promise<void> | null = null

  constructor(parts: EarlyCallerParts) {
    const { stack, invite, state } = parts
    this.#parts = parts
    this.key = state.key
    this.#reliable = demandsReliable(invite.request)
      ? new ReliableAnswers(invite, stack.options.timing)
      : null
    stack.early.set(this.key, this)
  }

  /** Whether they want to agree on the sound before they are answered. */
  get isReliable(): boolean {
    return this.#reliable !== null
  }

  /** What they described last of their sound. */
  get farEnd(): FarEnd {
    if (!this.#farEnd) throw new MediaError('nothing is agreed yet')
    return this.#farEnd
  }

  /** Resolves at once, or if they insist, when they acknowledged it: so that they are really there. */
  ring(): Promise<void> {
    const answer = { tag: this.#parts.tag, headers: [['contact', this.#parts.state.contact] as const] }
    if (this.#reliable) this.#rung ??= this.#report(180, answer)
    else this.#parts.invite.answer(180, answer)
    return this.#rung ?? Promise.resolve()
  }

  /** Agrees on the sound before the answer; rejects with a `MediaError` if they never say that they got it, or want what does not fit. */
  async agree(description: LocalDescription): Promise<void> {
    const { offer, state, tag } = this.#parts
    this.#description = description
    this.#farEnd = offer
    await this.#report(183, {
      tag,
      headers: [['contact', state.contact], ['allow', allowed], sdpType],
      body: offer ? description.answer(offer) : description.offer(),
    })
    if (!this.#farEnd)
      throw new SipRefused(488, 'Not Acceptable Here', "the caller's answer to our offer does not fit")
  }

  /** Of those who never acknowledge, as senders who forged their address, the oldest makes room for the newest. */
  async #report(status: number, answer: Answer): Promise<void> {
    const reliable = this.#reliable
    if (!reliable) return
    const { stack, invite } = this.#parts
    const forget = stack.unacknowledged.add(invite.flow.address, () => reliable.drop())
    await reliable.send(status, answer).finally(forget)
  }

  end(): void {
    const { early } = this.#parts.stack
    if (early.get(this.key) === this) early.delete(this.key)
    this.#reliable?.stop()
  }

  isNext(request: SipRequest): boolean {
    return this.#parts.state.isNext(request)
  }

  isPeer(address: string): boolean {
    return this.#parts.state.addresses.includes(address)
  }

  acknowledge(): void {
    // Nothing was answered that could be.
  }

  receive(transaction: ServerTransaction): void {
    const { request } = transaction
    if (request.method === 'BYE') {
      transaction.answer(200)
      return this.#parts.onGone()
    }
    const unknown = unknownIn(request)
    if (unknown) return transaction.answer(420, { headers: [unknown] })
    switch (request.method) {
      case 'PRACK':
        return this.#acknowledged(transaction)
      case 'UPDATE':
        return this.#change(transaction)
      case 'INVITE':
        return transaction.answer(500, { headers: [['retry-after', '2']] })
      case 'OPTIONS':
      case 'INFO':
        return transaction.answer(200, { headers: [['allow', allowed]] })
      default:
        return transaction.answer(405, { headers: [['allow', allowed]] })
    }
  }

  #acknowledged(transaction: ServerTransaction): void {
    const { request } = transaction
    const isAnswer = this.#description !== null && this.#farEnd === null
    if (isAnswer) this.#takeAnswer(request)
    if (!this.#reliable?.acknowledge(request)) return transaction.answer(481)
    if (isAnswer && !this.#farEnd) return transaction.answer(488)
    if (isAnswer || request.body.trim() === '') return transaction.answer(200)
    return this.#change(transaction)
  }

  /** Before the wait for the PRACK ends. */
  #takeAnswer(request: SipRequest): void {
    try {
      this.#farEnd = this.#description?.readAnswer(request.body) ?? null
    } catch (error) {
      if (!(error instanceof MediaError)) throw error
    }
  }

  /** A new offer before the answer (RFC 3311). */
  #change(transaction: ServerTransaction): void {
    const { request } = transaction
    const { state } = this.#parts
    const description = this.#description
    const headers = [['contact', state.contact] as const, ['allow', allowed] as const]
    if (request.body.trim() === '') {
      state.refreshTarget(request)
      return transaction.answer(200, { headers })
    }
    // Theirs is not answered yet, or ours is not.
    if (!description) return transaction.answer(500, { headers: [['retry-after', '2']] })
    if (!this.#farEnd) return transaction.answer(491)
    const offer = offerIn(request, (text) => description.readOffer(text))
    if (offer instanceof MediaError) return transaction.answer(488, { headers: [warning(offer)] })
    if (!offer) return transaction.answer(200, { headers })
    state.refreshTarget(request)
    this.#farEnd = offer
    return transaction.answer(200, { headers: [...headers, sdpType], body: description.answer(offer) })
  }
}
