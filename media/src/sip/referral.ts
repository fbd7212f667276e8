import type { FenceTerms } from '@switchroom/contract/trunk-terms'
import { writtenNumber } from '../number-form.ts'
import { MediaError } from '../plane.ts'
import { SipRefused, type SipTrunk } from './calls.ts'
import { header, type SipRequest } from './message.ts'
import { readParams, readUri } from './syntax.ts'

/** Where numbers and extensions of the far end are reached, and how it wants numbers written. */
export interface ReferPlace {
  /** `host:port`, with what follows it in an address. */
  at: string
  terms: FenceTerms
}

/** At the trunk that a call was dialled through. */
export const placeOfTrunk = (trunk: SipTrunk): ReferPlace => ({
  at: `${trunk.hostname}${trunk.transport === 'udp' ? '' : `;transport=${trunk.transport}`}`,
  terms: trunk,
})

/** At the address that the caller wants to be reached at. */
export function placeOfCaller(contact: string, address: string, terms: FenceTerms = {}): ReferPlace {
  const uri = readUri(contact)
  if (!uri || uri.host === '') return { at: address, terms }
  const host = uri.host.includes(':') ? `[${uri.host}]` : uri.host
  const port = uri.port === null ? '' : `:${uri.port}`
  const transport = uri.params.get('transport')?.toLowerCase()
  const isSaid = transport === 'tcp' || transport === 'tls'
  return { at: `${host}${port}${isSaid ? `;transport=${transport}` : ''}`, terms }
}

/** Where REFER points: a number or an extension is one at the far end's own place. */
export function referTo(to: string, { at, terms }: ReferPlace): string {
  const isNumber = /^\+\d{1,15}$/.test(to)
  const isExtension = /^[\d*#]{1,15}$/.test(to)
  const uri =
    isNumber && terms.refer_to === 'tel'
      ? `tel:${to}`
      : isNumber || isExtension
        ? `sip:${writtenNumber(to, terms).replaceAll('#', '%23')}@${at}`
        : to
  if (!readUri(uri) || /[<>"]/.test(uri))
    throw new MediaError(`${to} is no number, no extension and no SIP address`)
  return uri
}

const untold = 'the carrier ended its reports without saying whether the transfer arrived'
const neverTold = (withinMs: number) =>
  `the carrier did not say within ${withinMs / 1_000} s whether the transfer arrived`

/** The progress of a cold transfer, from its NOTIFYs (RFC 3515). */
export class Referral {
  readonly outcome: Promise<void>
  readonly #lateMs: number
  readonly #arrived: () => void
  readonly #stayed: (error: MediaError) => void
  #timer: NodeJS.Timeout
  #id: number | null = null

  /** It takes no longer than `withinMs`; what arrives late, no longer than `lateMs`. */
  constructor(withinMs: number, lateMs: number) {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.outcome = promise
    this.#lateMs = lateMs
    this.#arrived = resolve
    this.#stayed = reject
    // The transfer may have been refused before any NOTIFY.
    promise.catch(() => {})
    this.#timer = setTimeout(() => reject(new MediaError(neverTold(withinMs))), withinMs)
  }

  /** The far end took the REFER with this number; notices of another one are not about it. */
  accept(number: number): void {
    this.#id = number
  }

  isAbout(request: SipRequest): boolean {
    const [, ...params] = (header(request, 'event') ?? '').split(';')
    const id = readParams(params.join(';')).get('id')
    return id === undefined || this.#id === null || id === String(this.#id)
  }

  notify(request: SipRequest): void {
    const told = /^SIP\/2\.0 ([1-6]\d\d) ?([^\r\n]{0,200})/.exec(request.body)
    const status = Number(told?.[1] ?? 100)
    if (status >= 200 && status < 300) this.#settle(this.#arrived)
    else if (status >= 300) this.#settle(() => this.#stayed(new SipRefused(status, told?.[2] ?? '')))
    // The party that is transferred may yet hang up here, as some do in place of the last notice.
    else if (/^terminated/i.test(header(request, 'subscription-state') ?? '')) this.#awaitLate()
  }

  /** The far end hung up, which means that the transfer arrived. */
  leave(): void {
    this.#settle(this.#arrived)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #awaitLate(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#stayed(new MediaError(untold)), this.#lateMs)
  }

  #settle(work: () => void): void {
    this.stop()
    work()
  }
}
