import { createHmac, randomBytes } from 'node:crypto'
import { readWritten } from '../number-form.ts'
import { MediaError } from '../plane.ts'
import type { IncomingInvite, SipFence } from './calls.ts'
import { callerOf, divertedFrom } from './caller.ts'
import { allowed } from './dialog-state.ts'
import { DigestServer } from './digest.ts'
import type { Flow } from './flow.ts'
import type { SipGate } from './gate.ts'
import { type Asked, IncomingCall } from './incoming.ts'
import { header, type SipRequest, unknownIn } from './message.ts'
import { checkReach, readOffer } from './offer.ts'
import { type Answer, answeringFlow, type ServerTransaction, writeAnswer } from './server-transaction.ts'
import { offerIn, warning } from './session.ts'
import { readRefreshing, shortestSessionS } from './session-timer.ts'
import type { SipStack } from './stack.ts'
import { readUri } from './syntax.ts'

/** Judges what begins something. Refusals are not stored: a repeated request is refused again. */
export class Reception {
  readonly #stack: SipStack
  readonly #gate: SipGate
  readonly #onInvite: (invite: IncomingInvite) => void
  readonly #digests = new DigestServer()
  readonly #tagKey = randomBytes(32)
  readonly #ringing = new Map<ServerTransaction, IncomingCall>()

  constructor(stack: SipStack, gate: SipGate, onInvite: (invite: IncomingInvite) => void) {
    this.#stack = stack
    this.#gate = gate
    this.#onInvite = onInvite
  }

  /** From a source that is admitted, and outside of any call. */
  receive(request: SipRequest, flow: Flow): void {
    if (request.fault !== null)
      return this.refuse(request, flow, request.fault.startsWith('Version') ? 505 : 400, {
        reason: request.fault,
      })
    if (request.method === 'OPTIONS')
      return this.refuse(request, flow, 200, {
        headers: [
          ['allow', allowed],
          ['accept', 'application/sdp'],
        ],
      })
    if (request.method !== 'INVITE') return this.refuse(request, flow, 405, { headers: [['allow', allowed]] })
    return this.#invited(request, flow)
  }

  /** Answers without remembering. */
  refuse(request: SipRequest, flow: Flow, status: number, answer: Answer = {}): void {
    const mark = `${request.callId} ${request.from.tag} ${request.via.branch}`
    const tag = createHmac('sha256', this.#tagKey).update(mark).digest('hex').slice(0, 32)
    answeringFlow(request, flow).send(writeAnswer(request, flow, status, { tag, ...answer }))
  }

  cancel(invite: ServerTransaction): void {
    this.#ringing.get(invite)?.giveUp(487)
  }

  stop(): void {
    for (const call of this.#ringing.values()) call.giveUp(480)
  }

  #invited(request: SipRequest, flow: Flow): void {
    const asked = this.#asked(request, flow)
    if (typeof asked === 'number') return this.refuse(request, flow, asked)
    if (asked.fence?.pair && !this.#isProven(request, flow, asked.fence.pair)) return undefined
    if (!request.from.tag) return this.refuse(request, flow, 400, { reason: 'From has no tag' })
    if (this.#stack.transactions.isMerged(request)) return this.refuse(request, flow, 482)
    const unknown = unknownIn(request)
    if (unknown) return this.refuse(request, flow, 420, { headers: [unknown] })
    if ((readRefreshing(request)?.seconds ?? shortestSessionS) < shortestSessionS)
      return this.refuse(request, flow, 422, { headers: [['min-se', String(shortestSessionS)]] })
    const address = this.#stack.addressFor(flow.address)
    const offer = offerIn(request, (text) => checkReach(readOffer(text, asked.fence?.encryption), address))
    if (offer instanceof MediaError) return this.refuse(request, flow, 488, { headers: [warning(offer)] })
    const source = flow.address
    const { ringing, options } = this.#stack
    if (this.#stack.isFull || ringing.of(source) >= options.limits.ringingOfSource)
      return this.refuse(request, flow, 503, { headers: [['retry-after', '10']] })
    const transaction = this.#stack.transactions.take(request, flow)
    ringing.add(source)
    this.#stack.ringingTotal++
    const call = new IncomingCall({
      stack: this.#stack,
      invite: transaction,
      asked,
      offer,
      onSettled: () => {
        ringing.remove(source)
        this.#ringing.delete(transaction)
        this.#stack.ringingTotal--
      },
    })
    this.#ringing.set(transaction, call)
    try {
      this.#onInvite(call)
    } catch (error) {
      call.reject(500)
      throw error
    }
    return undefined
  }

  /** What is asked for, or the status that says why it is not to be had. */
  #asked(request: SipRequest, flow: Flow): Asked | number {
    const uri = readUri(request.uri)
    if (!uri) return /^(sips?|tel):/i.test(request.uri) ? 400 : 416
    for (const fence of this.#gate.fencesOf(flow.address)) {
      const number = calledIn(fence, uri.user, request)
      if (number !== null)
        return {
          number,
          agent: null,
          from: callerOf(request, fence),
          divertedFrom: divertedFrom(request, fence),
          fence,
        }
    }
    const from = callerOf(request, null)
    if (this.#gate.isLocal(flow.address) && /^[\w.-]{1,128}$/.test(uri.user))
      return { number: null, agent: uri.user, from, divertedFrom: '', fence: null }
    return 404
  }

  #isProven(request: SipRequest, flow: Flow, pair: NonNullable<SipFence['pair']>): boolean {
    const said = header(request, 'authorization')
    const proof = this.#digests.prove(said, request.method, request.uri, flow.address, pair)
    if (proof === 'proven') return true
    if (proof === 'wrong') this.refuse(request, flow, 403)
    else {
      const challenges = this.#digests.challenges(flow.address, proof === 'stale')
      const headers = challenges.map((challenge) => ['www-authenticate', challenge] as const)
      this.refuse(request, flow, 401, { headers })
    }
    return false
  }
}

/** The number of a fence that is asked for; a registrar asks for the user that is registered there, and To may say more. */
function calledIn(fence: SipFence, user: string, { to }: SipRequest): string | null {
  const listed = (written: string) => {
    const number = readWritten(written, fence)
    return number !== null && fence.numbers.includes(number) ? number : null
  }
  if (user !== fence.registered_as) return listed(user)
  const [only = null, ...others] = fence.numbers
  return listed(user) ?? listed(readUri(to.uri)?.user ?? '') ?? (others.length === 0 ? only : null)
}
