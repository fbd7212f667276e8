import { withoutAccount } from '@switchroom/contract/extensions'
import { MediaError } from '../plane.ts'
import { SipCall } from './call.ts'
import { type IncomingInvite, type SipDialog, type SipFence, SipRefused } from './calls.ts'
import { DialogState } from './dialog-state.ts'
import { EarlyCaller } from './early-caller.ts'
import type { MediaTerms } from '../rtp/media-terms.ts'
import { type FarEnd, LocalDescription } from './offer.ts'
import type { ServerTransaction } from './server-transaction.ts'
import { type LocalEnd, termsOf } from './session.ts'
import type { SipStack } from './stack.ts'
import { newToken } from './transactions.ts'

/** Another program may have a port; if so many are taken, something is wrong. */
const mostPorts = 3

export interface Asked {
  number: string | null
  agent: string | null
  from: string
  divertedFrom: string
  fence: SipFence | null
}

export interface IncomingCallParts {
  stack: SipStack
  invite: ServerTransaction
  asked: Asked
  offer: FarEnd | null
  onSettled: () => void
}

/** A call that rings here, until it is answered, refused or taken back. */
export class IncomingCall implements IncomingInvite {
  readonly number: string | null
  readonly agent: string | null
  readonly from: string
  readonly divertedFrom: string
  readonly fence: SipFence | null
  readonly signal: AbortSignal
  readonly #stack: SipStack
  readonly #invite: ServerTransaction
  readonly #offer: FarEnd | null
  readonly #onSettled: () => void
  readonly #tag = newToken()
  readonly #given = new AbortController()
  readonly #expiry: NodeJS.Timeout
  readonly #state: DialogState
  readonly #early: EarlyCaller
  #isAccepting = false
  #isSettled = false

  constructor({ stack, invite, asked, offer, onSettled }: IncomingCallParts) {
    this.number = asked.number
    this.agent = asked.agent
    this.from = asked.from
    this.divertedFrom = asked.divertedFrom
    this.fence = asked.fence
    this.signal = this.#given.signal
    this.#stack = stack
    this.#invite = invite
    this.#offer = offer
    this.#onSettled = onSettled
    this.#state = DialogState.ofCaller(stack, invite.request, invite.flow, this.#tag, this.#contact)
    this.#early = new EarlyCaller({
      stack,
      invite,
      state: this.#state,
      tag: this.#tag,
      offer,
      onGone: () => this.giveUp(487),
    })
    this.#expiry = setTimeout(() => this.giveUp(480), stack.options.timing.ringMs)
    invite.answer(100)
  }

  ring(): void {
    if (!this.#isSettled) void this.#early.ring().catch((error: unknown) => this.#unacknowledged(error))
  }

  reject(status: number, reason?: string): void {
    if (status < 300 || status > 699) throw new RangeError(`${status} refuses nothing`)
    if (!this.#settle()) return
    this.#invite.answer(status, { tag: this.#tag, ...(reason !== undefined && { reason: oneLine(reason) }) })
  }

  async accept(prepare: (terms: MediaTerms) => Promise<void> = async () => {}): Promise<SipDialog> {
    if (this.#isSettled || this.#isAccepting) throw this.#tooLate()
    this.#isAccepting = true
    const { flow } = this.#invite
    const state = this.#state
    const early = this.#early
    // Callers who never acknowledge get no port.
    if (early.isReliable) await early.ring().catch((error: unknown) => this.#unacknowledged(error))
    if (this.#isSettled) throw this.#tooLate()
    const local = await this.#prepared(state, prepare)
    if (early.isReliable && !this.#isSettled)
      await early.agree(local.description).catch((error: unknown) => this.#unacknowledged(error))
    if (!this.#settle()) {
      this.#stack.options.releasePort(local.port)
      throw this.#tooLate()
    }
    const call = new SipCall(this.#stack, state, local, [flow.address], state.placeOf(this.fence))
    const forget = this.#stack.unacknowledged.add(flow.address, () => call.drop(flow))
    if (early.isReliable) call.session.confirm(this.#invite, early.farEnd, this.#tag)
    else call.session.answer(this.#invite, this.#offer, this.#tag)
    await call.session.established.finally(forget)
    return call.watch()
  }

  /** The caller cancelled, or no decision came in time. */
  giveUp(status: 480 | 487): void {
    if (!this.#settle()) return
    this.#invite.answer(status, { tag: this.#tag })
    this.#given.abort(new MediaError('the caller gave up'))
  }

  async #prepared(state: DialogState, prepare: (terms: MediaTerms) => Promise<void>): Promise<LocalEnd> {
    const { options } = this.#stack
    try {
      for (let tried = 1; ; tried++) {
        const port = this.#allocatePort()
        const source = this.#invite.flow.address
        const description = new LocalDescription(this.#stack.addressFor(source), port, this.fence?.encryption)
        const local = { port, address: this.#stack.localAddressFor(source), description }
        try {
          await prepare(termsOf(local, this.#offer, state))
          return local
        } catch (error) {
          options.releasePort(port)
          if (this.#isSettled || tried === mostPorts || !(error instanceof MediaError)) throw error
        }
      }
    } catch (error) {
      if (this.#settle()) this.#invite.answer(503, { tag: this.#tag })
      throw error
    }
  }

  /** Callers who never acknowledge keep no port from the next one. */
  #allocatePort(): number {
    const { options, unacknowledged } = this.#stack
    for (;;)
      try {
        return options.allocatePort()
      } catch (error) {
        if (!unacknowledged.dropOldest()) throw error
      }
  }

  /** They do not acknowledge what we report, or what they say does not fit. */
  #unacknowledged(error: unknown): void {
    if (!(error instanceof MediaError)) throw error
    if (!this.#settle()) return
    this.#invite.answer(error instanceof SipRefused ? error.status : 504, { tag: this.#tag })
    this.#given.abort(error)
  }

  #tooLate(): MediaError {
    return new MediaError(this.signal.aborted ? 'the caller gave up' : 'the call is answered already')
  }

  get #contact(): string {
    return this.#stack.contact(this.#invite.flow, withoutAccount(this.number ?? this.agent ?? ''))
  }

  #settle(): boolean {
    if (this.#isSettled) return false
    this.#isSettled = true
    clearTimeout(this.#expiry)
    this.#early.end()
    this.#onSettled()
    return true
  }
}

const oneLine = (text: string) => text.replaceAll(/[\r\n\0]+/g, ' ').slice(0, 200)
