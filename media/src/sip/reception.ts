import { createHmac, randomBytes } from 'node:crypto'
import { withoutAccount } from '@switchroom/contract/extensions'
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
    this.#stack.transactions.onFinal('sent', request.method, status)
  }

  cancel(invite: ServerTransaction): void {
    this.#ringing.get(invite)?.giveUp(487)
  }

  stop(): void {
    for (const call of this.#ringing.values()) call.giveUp(480)
  }

  #invited(request: SipRequest, flow: Flow): void {
    const asked = this.#asked(request, flow)
    if (asked === null) return undefined
    if (typeof asked === 'number') return this.refuse(request, flow, asked)
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

  /** What is asked for, or the status that says why it is not to be had; null if a proof was asked for. */
  #asked(request: SipRequest, flow: Flow): Asked | number | null {
    const uri = readUri(request.uri)
    if (!uri) return /^(sips?|tel):/i.test(request.uri) ? 400 : 416
    const claims = claimsIn(this.#gate.fencesOf(flow.address), uri.user, request)
    if (claims.length > 0) {
      const claim = this.#proven(claims, request, flow)
      if (claim === null || typeof claim === 'number') return claim
      const { fence, number } = claim
      const [from, diverted] = [callerOf(request, fence), divertedFrom(request, fence)]
      return { number, agent: null, from, divertedFrom: diverted, fence }
    }
    const from = callerOf(request, null)
    if (this.#gate.isLocal(flow.address) && /^[\w.-]{1,128}$/.test(uri.user))
      return { number: null, agent: uri.user, from, divertedFrom: '', fence: null }
    return 404
  }

  /** The one that the caller proves to be theirs; null if they are challenged. */
  #proven(claims: readonly Claim[], request: SipRequest, flow: Flow): Claim | number | null {
    const said = header(request, 'authorization')
    const proofs = claims.flatMap((claim) => {
      const { pair } = claim.fence
      if (!pair) return []
      return [{ claim, proof: this.#digests.prove(said, request.method, request.uri, flow.address, pair) }]
    })
    const proven = proofs.find(({ proof }) => proof === 'proven')
    if (proven) return proven.claim
    const unchallenged = claims.find(({ fence }) => !fence.pair)
    if (unchallenged && !isShared(claims)) return unchallenged
    // Of an extension that several orgs have at one address, the address proves nothing.
    if (proofs.length === 0) return 404
    if (proofs.every(({ proof }) => proof === 'wrong')) return 403
    const isStale = proofs.some(({ proof }) => proof === 'stale')
    const challenges = this.#digests.challenges(flow.address, isStale)
    const headers = challenges.map((challenge) => ['www-authenticate', challenge] as const)
    this.refuse(request, flow, 401, { headers })
    return null
  }
}

/** A number that is asked for, at a fence that lists it: one, unless several peers at one address have an extension. */
interface Claim {
  fence: SipFence
  number: string
}

/** What is listed as it is asked for comes before what a registrar may mean by the user that is registered there. */
function claimsIn(fences: readonly SipFence[], user: string, request: SipRequest): Claim[] {
  const claims = (numberIn: (fence: SipFence) => string | null) =>
    fences.flatMap((fence) => {
      const number = numberIn(fence)
      return number === null ? [] : [{ fence, number }]
    })
  const listed = claims((fence) => listedIn(fence, user))
  return listed.length > 0 ? listed : claims((fence) => registeredIn(fence, user, request))
}

const isShared = (claims: readonly Claim[]) =>
  new Set(claims.map(({ fence }) => fence.name.split('/', 1)[0])).size > 1

function listedIn(fence: SipFence, written: string): string | null {
  const isAsked = (number: string) => number.includes('@') && withoutAccount(number) === written
  const number = fence.numbers.find(isAsked) ?? readWritten(written, fence)
  return number !== null && fence.numbers.includes(number) ? number : null
}

/** A registrar asks for the user that is registered there, and To may say more. */
function registeredIn(fence: SipFence, user: string, { to }: SipRequest): string | null {
  if (user !== fence.registered_as) return null
  const [only = null, ...others] = fence.numbers
  return listedIn(fence, readUri(to.uri)?.user ?? '') ?? (others.length === 0 ? only : null)
}
