import { wordsOfRefer } from '../failure-words.ts'
import type { SoundState } from '../leg.ts'
import { MediaError } from '../plane.ts'
import type { MediaTerms } from '../rtp/media-terms.ts'
import { type DialogEnd, type SipDialog, SipRefused, SipUnanswered } from './calls.ts'
import { allowed, type DialogState } from './dialog-state.ts'
import type { Flow } from './flow.ts'
import { infoOf, keyIn } from './info-tones.ts'
import { Liveness } from './liveness.ts'
import { header, type SipRequest, unknownIn } from './message.ts'
import { Referral, type ReferPlace, referTo } from './referral.ts'
import type { ServerTransaction } from './server-transaction.ts'
import { type LocalEnd, SipSession } from './session.ts'
import type { SipStack, StandingDialog } from './stack.ts'

/** A call that was answered, ours or theirs. */
export class SipCall implements SipDialog, StandingDialog {
  readonly key: string
  readonly session: SipSession
  readonly ended: Promise<DialogEnd>
  readonly #stack: SipStack
  readonly #state: DialogState
  readonly #port: number
  readonly #peers: readonly string[]
  readonly #referPlace: ReferPlace
  readonly #resolveEnded: (how: DialogEnd) => void
  #pinging: NodeJS.Timeout | undefined
  #isPinging = false
  readonly #life = new Liveness()
  #isOver = false
  #bye: Promise<void> | null = null
  #referral: Referral | null = null
  #onTone: (digit: string) => void = () => {}

  constructor(
    stack: SipStack,
    state: DialogState,
    local: LocalEnd,
    peers: readonly string[],
    referPlace: ReferPlace,
  ) {
    const { promise, resolve } = Promise.withResolvers<DialogEnd>()
    this.ended = promise
    this.key = state.key
    this.#resolveEnded = resolve
    this.#stack = stack
    this.#state = state
    this.#port = local.port
    this.#referPlace = referPlace
    this.#peers = [...new Set([...peers, ...state.addresses])]
    this.session = new SipSession(stack, state, local, () => this.#lose())
    stack.dialogs.set(this.key, this)
    for (const peer of this.#peers) stack.peers.add(peer)
  }

  /** From the ACK on; a caller who never sends one gets no OPTIONS. */
  watch(): this {
    if (!this.#isOver)
      this.#pinging = setInterval(() => void this.#ping(), this.#stack.options.timing.pingEveryMs)
    return this
  }

  /** Their ACK did not come, and others wait: a BYE that is said once, and nothing is kept. */
  drop(flow: Flow): void {
    this.session.drop()
    if (!this.#end('lost')) return
    flow.send(this.#stack.unanswered(this.#state.request('BYE'), flow))
    this.#release()
  }

  get terms(): MediaTerms {
    return this.session.terms
  }

  onTermsChanged(listener: (terms: MediaTerms, isHeld: boolean) => void): void {
    this.session.onTermsChanged(listener)
  }

  onInfoTone(listener: (digit: string) => void): void {
    this.#onTone = listener
  }

  async sendInfoTone(key: string): Promise<void> {
    const { headers, body } = infoOf(key)
    const response = await this.#state.ask('INFO', headers, body)
    const why = 'the far end takes no keys by INFO'
    if (!response) throw new SipUnanswered(408, 'Request Timeout', why)
    if (response.status >= 300) throw new SipRefused(response.status, response.reason, why)
  }

  tellSound(sound: SoundState): void {
    this.#life.sound(sound)
    if (this.#life.isLost) this.#lose()
    else if (sound === 'silent') void this.#ping()
  }

  isNext(request: SipRequest): boolean {
    return this.#state.isNext(request)
  }

  isPeer(address: string): boolean {
    return this.#peers.includes(address)
  }

  async refer(to: string): Promise<void> {
    const uri = referTo(to, this.#referPlace)
    if (this.#isOver) throw new MediaError('the call is over')
    if (this.#referral) throw new MediaError('the far end is being sent on already')
    const { timing } = this.#stack.options
    const referral = new Referral(timing.ringMs, timing.t4Ms)
    this.#referral = referral
    try {
      const headers = [
        ['refer-to', `<${uri}>`] as const,
        ['referred-by', `<${this.#state.localUri}>`] as const,
      ]
      const response = await this.#state.ask('REFER', headers)
      if (!response)
        throw new SipUnanswered(408, 'Request Timeout', 'the carrier did not answer the transfer')
      if (response.status >= 300)
        throw new SipRefused(response.status, response.reason, wordsOfRefer(response.status))
      referral.accept(response.cseq.number)
      await referral.outcome
    } catch (error) {
      this.#referral = null
      throw error instanceof MediaError
        ? error
        : new MediaError('the far end cannot be reached', { cause: error })
    } finally {
      referral.stop()
    }
    await this.bye()
  }

  bye(): Promise<void> {
    if (this.#end('hangup')) this.#bye = this.#sayBye()
    return this.#bye ?? Promise.resolve()
  }

  acknowledge(request: SipRequest): void {
    this.session.acknowledge(request)
  }

  receive(transaction: ServerTransaction): void {
    const { request } = transaction
    this.#life.sign()
    if (request.method === 'BYE') {
      transaction.answer(200)
      this.session.conclude()
      this.#referral?.leave()
      if (this.#end('hangup')) this.#release()
      return undefined
    }
    if (this.#isOver) return transaction.answer(481)
    return this.#serve(transaction)
  }

  #serve(transaction: ServerTransaction): void {
    const { request } = transaction
    const unknown = unknownIn(request)
    if (unknown) return transaction.answer(420, { headers: [unknown] })
    switch (request.method) {
      case 'INVITE':
      case 'UPDATE':
        return this.session.receive(transaction)
      case 'PRACK':
        return transaction.answer(481)
      case 'OPTIONS':
        return transaction.answer(200, { headers: [['allow', allowed]] })
      case 'INFO':
        transaction.answer(200)
        return this.#takeInfo(request)
      case 'NOTIFY':
        if (!/^refer\s*(;|$)/i.test(header(request, 'event') ?? '')) return transaction.answer(489)
        if (!this.#referral?.isAbout(request)) return transaction.answer(481)
        transaction.answer(200)
        return this.#referral.notify(request)
      default:
        return transaction.answer(405, { headers: [['allow', allowed]] })
    }
  }

  #takeInfo(request: SipRequest): void {
    const key = keyIn(request)
    if (key !== undefined) this.#onTone(key)
  }

  async #ping(): Promise<void> {
    if (this.#isPinging || this.#isOver) return
    this.#isPinging = true
    const { signs } = this.#life
    const response = await this.#state.ask('OPTIONS').catch(() => null)
    this.#isPinging = false
    // If another source floods in its name, its answer may be among what was dropped.
    if (!response && this.#peers.some((peer) => this.#stack.said.isSpent(peer))) return
    // Any other answer, a refusal too, is a sign of life.
    if (response && response.status !== 408) this.#life.answered()
    else if (signs === this.#life.signs) this.#life.unanswered()
    if (response?.status === 481 || this.#life.isLost) this.#lose()
  }

  #lose(): void {
    if (this.#end('lost')) this.#bye = this.#sayBye()
  }

  /** False when it has ended before. */
  #end(how: DialogEnd): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    clearInterval(this.#pinging)
    this.session.end()
    this.#stack.options.releasePort(this.#port)
    this.#resolveEnded(how)
    return true
  }

  async #sayBye(): Promise<void> {
    try {
      // Before their ACK there is nothing to hang up (RFC 3261 15).
      await this.session.acknowledged
      await this.#state.ask('BYE')
    } catch {
      // The far end is gone.
    } finally {
      this.#release()
    }
  }

  #release(): void {
    if (!this.#stack.dialogs.delete(this.key)) return
    for (const peer of this.#peers) this.#stack.peers.remove(peer)
  }
}
