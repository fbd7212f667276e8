import type { Recording } from '@switchroom/kit/vendor'
import { secondMs } from '../../foundation/clock.ts'
import { guardedFetch, type FetchLimits } from '../../foundation/guarded-fetch.ts'
import type { PublicAddresses } from '../../foundation/public-addresses.ts'
import { Wire, WireFailure } from '../../telephony/carriers/carrier-wire.ts'

/** The platform takes no longer sound. */
const limits: FetchLimits = { bodyBytes: 16 * 1024 * 1024, timeMs: 10 * secondMs }
const platform = 'the messaging platform'

interface Body {
  error?: { message?: unknown }
  url?: unknown
  mime_type?: unknown
}

/** What contacts send beside words, fetched from the platform. */
export class Media {
  readonly #base: string
  readonly #wire: Wire
  readonly #fetch: PublicAddresses['fetch']

  constructor(base: string, addresses: PublicAddresses) {
    this.#base = base
    this.#wire = new Wire(platform, (body) => (body as Body | undefined)?.error?.message, addresses)
    this.#fetch = guardedFetch((...to) => addresses.connect(...to), addresses.tls, limits)
  }

  /** Throws where the platform does not give it. */
  async recording(mediaId: string, token: string): Promise<Recording> {
    const authorization = `Bearer ${token}`
    const url = `${this.#base}/${encodeURIComponent(mediaId)}`
    const body = (await this.#wire.ask({ url, authorization, secrets: [token] })) as Body | undefined
    if (typeof body?.url !== 'string' || typeof body.mime_type !== 'string')
      throw new WireFailure(platform, 200)
    // The address is the answer's, so it is checked like any that somebody else names.
    const answer = await this.#fetch(body.url, { headers: { authorization } })
    if (!answer.ok) throw new WireFailure(platform, answer.status)
    return { bytes: await answer.bytes(), mediaType: body.mime_type }
  }
}
