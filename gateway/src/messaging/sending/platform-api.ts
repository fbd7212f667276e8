import { Wire, type WireOptions } from '../../telephony/carriers/carrier-wire.ts'

/** A text on its way to a contact. */
export interface OutgoingText {
  /** The number's id at the platform. */
  phoneNumberId: string
  accessToken: string
  /** As `+34911234567`, or the platform's own id of whoever it gives no number of. */
  contact: string
  text: string
  /** Comes back with everything the platform says of this message. */
  opaque: string
}

interface Body {
  error?: { message?: unknown }
  messages?: { id?: unknown }[]
}

/** Where texts are handed to the messaging platform; every failure is thrown as a `WireFailure`. */
export class PlatformApi {
  readonly #base: string
  readonly #wire: Wire

  constructor(base: string, options: WireOptions = {}) {
    this.#base = base
    const sentenceIn = (body: unknown) => (body as Body | undefined)?.error?.message
    this.#wire = new Wire('the messaging platform', sentenceIn, options)
  }

  /** The platform's own id of it; null where it gives none. */
  async send({ phoneNumberId, accessToken, contact, text, opaque }: OutgoingText): Promise<string | null> {
    const body = (await this.#wire.ask({
      method: 'POST',
      url: `${this.#base}/${encodeURIComponent(phoneNumberId)}/messages`,
      authorization: `Bearer ${accessToken}`,
      json: {
        messaging_product: 'whatsapp',
        recipient_type: 'individual',
        ...(contact.startsWith('+') ? { to: contact.slice(1) } : { recipient: contact }),
        type: 'text',
        text: { body: text },
        biz_opaque_callback_data: opaque,
      },
      secrets: [accessToken],
    })) as Body | null | undefined
    const id = body?.messages?.[0]?.id
    return typeof id === 'string' ? id : null
  }
}
