import { MediaError } from '../plane.ts'
import { SipRefused } from './calls.ts'
import { header, type SipRequest } from './message.ts'
import { readUri } from './syntax.ts'

/** Where REFER points; a number is a `tel:` address. */
export function referTo(to: string): string {
  const uri = /^\+\d+$/.test(to) ? `tel:${to}` : to
  if (!readUri(uri) || /[<>"]/.test(uri)) throw new MediaError(`${to} is neither a number nor a SIP address`)
  return uri
}

/** The progress of a cold transfer, from its NOTIFYs (RFC 3515). */
export class Referral {
  readonly outcome: Promise<void>
  readonly #arrived: () => void
  readonly #stayed: (error: MediaError) => void
  readonly #timer: NodeJS.Timeout

  constructor(withinMs: number) {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.outcome = promise
    this.#arrived = resolve
    this.#stayed = reject
    // The transfer may have been refused before any NOTIFY.
    promise.catch(() => {})
    this.#timer = setTimeout(() => reject(new SipRefused(408, 'Request Timeout')), withinMs)
  }

  notify(request: SipRequest): void {
    const told = /^SIP\/2\.0 ([1-6]\d\d) ?([^\r\n]{0,200})/.exec(request.body)
    const status = Number(told?.[1] ?? 100)
    const isLast = /^terminated/i.test(header(request, 'subscription-state') ?? '')
    if (status >= 200 && status < 300) this.#settle(this.#arrived)
    else if (status >= 300) this.#settle(() => this.#stayed(new SipRefused(status, told?.[2] ?? '')))
    else if (isLast)
      this.#settle(() => this.#stayed(new MediaError('the far end does not tell what became of it')))
  }

  /** The far end hung up, which means that the transfer arrived. */
  leave(): void {
    this.#settle(this.#arrived)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #settle(work: () => void): void {
    this.stop()
    work()
  }
}
