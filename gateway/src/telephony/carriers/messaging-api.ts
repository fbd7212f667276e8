import { Wire, WireFailure, type WireOptions } from './carrier-wire.ts'

interface Body {
  error?: { message?: unknown }
  display_phone_number?: unknown
  verified_name?: unknown
}

/** The messaging platform's API; every failure is thrown as a `WireFailure`. */
export class MessagingApi {
  readonly #base: string
  readonly #wire: Wire

  constructor(base: string, options: WireOptions = {}) {
    this.#base = base
    this.#wire = new Wire(
      'the messaging platform',
      (body) => (body as Body | undefined)?.error?.message,
      options,
    )
  }

  /** The number that an id answers at, in E.164, and the name that the platform verified for it. */
  async numberOf(phoneNumberId: string, accessToken: string): Promise<{ number: string; name: string }> {
    const id = encodeURIComponent(phoneNumberId)
    const body = (await this.#wire.ask({
      url: `${this.#base}/${id}?fields=display_phone_number,verified_name`,
      authorization: `Bearer ${accessToken}`,
      secrets: [accessToken],
    })) as Body | undefined
    const shown = body?.display_phone_number
    const digits = typeof shown === 'string' ? shown.replace(/\D/g, '') : ''
    if (digits === '') throw new WireFailure('the messaging platform', 200)
    const name = typeof body?.verified_name === 'string' ? body.verified_name : ''
    return { number: `+${digits}`, name }
  }
}
