import { MediaError } from '../plane.ts'
import { header, type SipRequest, wordsOf } from './message.ts'
import type { Answer, ServerTransaction } from './server-transaction.ts'
import { giveUpMs, Repeating, type Timing } from './timing.ts'

/** Whether the caller takes no progress report that it cannot acknowledge. */
export const demandsReliable = (request: SipRequest): boolean =>
  wordsOf(request, 'require').includes('100rel')

interface Unacknowledged {
  number: number
  acknowledged: PromiseWithResolvers<void>
  repeating: Repeating
  late: NodeJS.Timeout
}

/** Progress reports that the caller acknowledges one after the other (RFC 3262). */
export class ReliableAnswers {
  readonly #invite: ServerTransaction
  readonly #timing: Timing
  #number = 1 + Math.floor(Math.random() * 2 ** 30)
  #waiting: Unacknowledged | null = null

  constructor(invite: ServerTransaction, timing: Timing) {
    this.#invite = invite
    this.#timing = timing
  }

  /** Resolves when it is acknowledged; only then the next one may be sent. */
  send(status: number, { headers = [], ...answer }: Answer): Promise<void> {
    const acknowledged = Promise.withResolvers<void>()
    acknowledged.promise.catch(() => {}) // nobody may wait for it yet
    this.#number += 1
    const reliable = [['require', '100rel'] as const, ['rseq', String(this.#number)] as const]
    this.#invite.answer(status, { ...answer, headers: [...headers, ...reliable] })
    this.#waiting = {
      number: this.#number,
      acknowledged,
      repeating: new Repeating(this.#timing.t1Ms, Number.POSITIVE_INFINITY, () => this.#invite.repeat()),
      late: setTimeout(() => this.#settle(unacknowledged()), giveUpMs(this.#timing)),
    }
    return acknowledged.promise
  }

  /** False if the PRACK names no report that waits for one. */
  acknowledge(prack: SipRequest): boolean {
    const { cseq } = this.#invite.request
    const said = /^(\d{1,10})\s+(\d{1,10})\s+INVITE$/.exec(header(prack, 'rack')?.trim() ?? '')
    if (!this.#waiting || Number(said?.[1]) !== this.#waiting.number || Number(said?.[2]) !== cseq.number)
      return false
    this.#settle()
    return true
  }

  /** It is waited for no longer. */
  drop(): void {
    this.#settle(unacknowledged())
  }

  stop(): void {
    this.#settle(new MediaError('the caller gave up'))
  }

  #settle(failure?: MediaError): void {
    const waiting = this.#waiting
    if (!waiting) return
    this.#waiting = null
    waiting.repeating.stop()
    clearTimeout(waiting.late)
    if (failure) waiting.acknowledged.reject(failure)
    else waiting.acknowledged.resolve()
  }
}

const unacknowledged = () => new MediaError('the caller did not acknowledge that it rings (PRACK)')
