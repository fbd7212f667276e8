import type { Recording } from '@switchroom/kit/vendor'
import { secondMs } from '../../foundation/clock.ts'
import { guardedFetch, type FetchLimits } from '../../foundation/guarded-fetch.ts'
import type { PublicAddresses } from '../../foundation/public-addresses.ts'
import { Wire, WireFailure } from '../../telephony/carriers/carrier-wire.ts'

/** A text for a contact. */
export interface OutgoingText {
  /** The number's id at the platform. */
  phoneNumberId: string
  accessToken: string
  /** As `+34911234567`, or the platform's own id of a contact whose number it does not show. */
  contact: string
  text: string
  /** Comes back with every receipt of this message. */
  opaque: string
}

interface Body {
  error?: { message?: unknown }
  display_phone_number?: unknown
  verified_name?: unknown
  messages?: { id?: unknown }[]
  url?: unknown
  mime_type?: unknown
}

const name = 'the messaging platform'
/** The platform takes no longer recordings. */
const recordingLimits: FetchLimits = { bodyBytes: 16 * 1024 * 1024, timeMs: 10 * secondMs }

/** The messaging platform's HTTP API; every failure is thrown as a `WireFailure`. */
export class MessagingPlatform {
  readonly #base: string
  readonly #wire: Wire
  readonly #fetchRecording: PublicAddresses['fetch']

  constructor(
    base: string,
    addresses: Pick<PublicAddresses, 'connect' | 'tls'>,
    options: { timeoutMs?: number } = {},
  ) {
    this.#base = base
    const { tls } = addresses
    this.#wire = new Wire(name, (body) => (body as Body | undefined)?.error?.message, { ...options, tls })
    this.#fetchRecording = guardedFetch((...to) => addresses.connect(...to), tls, recordingLimits)
  }

  /** The number of an id, in E.164, and the name that the platform verified for it. */
  async numberOf(phoneNumberId: string, accessToken: string): Promise<{ number: string; name: string }> {
    const id = encodeURIComponent(phoneNumberId)
    const body = await this.#get(`${id}?fields=display_phone_number,verified_name`, accessToken)
    const shown = body?.display_phone_number
    const digits = typeof shown === 'string' ? shown.replace(/\D/g, '') : ''
    if (digits === '') throw new WireFailure(name, 200)
    return {
      number: `+${digits}`,
      name: typeof body?.verified_name === 'string' ? body.verified_name : '',
    }
  }

  /** The platform's own id of the message; null if it gives none. */
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

  /** A voice note that a contact sent. */
  async recording(mediaId: string, accessToken: string): Promise<Recording> {
    const body = await this.#get(encodeURIComponent(mediaId), accessToken)
    if (typeof body?.url !== 'string' || typeof body.mime_type !== 'string') throw new WireFailure(name, 200)
    // The address comes from an answer, so it must be public like any that others name.
    const answer = await this.#fetchRecording(body.url, {
      headers: { authorization: `Bearer ${accessToken}` },
    })
    if (!answer.ok) throw new WireFailure(name, answer.status)
    return { bytes: await answer.bytes(), mediaType: body.mime_type }
  }

  async #get(path: string, accessToken: string): Promise<Body | undefined> {
    const asked = { authorization: `Bearer ${accessToken}`, secrets: [accessToken] }
    return (await this.#wire.ask({ url: `${this.#base}/${path}`, ...asked })) as Body | undefined
  }
}
