import type { Recording } from '@switchroom/kit/vendor'
import { secondMs } from '../../foundation/clock.ts'
import { guardedFetch, type FetchLimits } from '../../foundation/guarded-fetch.ts'
import type { PublicAddresses } from '../../foundation/public-addresses.ts'
import { Wire, WireFailure } from '../../telephony/carriers/carrier-wire.ts'
import { templatesIn, type PlatformTemplate } from './platform-templates.ts'
import { sentenceIn } from './send-failures.ts'

/** A template that the platform approved, and what its variables are filled with, in the platform's own form. */
export interface TemplateContent {
  name: string
  language: { code: string }
  components: readonly object[]
}

export type Content =
  | { type: 'text'; text: { body: string } }
  | { type: 'template'; template: TemplateContent }

/** A message for a contact. */
export interface OutgoingMessage {
  /** The number's id at the platform. */
  phoneNumberId: string
  accessToken: string
  /** As `+34911234567`, or the platform's own id of a contact whose number it does not show. */
  contact: string
  content: Content
  /** Comes back with every receipt of this message. */
  opaque: string
}

export interface MarkRead {
  phoneNumberId: string
  accessToken: string
  /** The platform's own id of what the contact wrote. */
  messageId: string
  isTyping: boolean
}

interface Body {
  display_phone_number?: unknown
  verified_name?: unknown
  messages?: { id?: unknown }[]
  url?: unknown
  mime_type?: unknown
  data?: unknown
  paging?: { next?: unknown; cursors?: { after?: unknown } }
  health_status?: { entities?: { entity_type?: unknown; id?: unknown }[] }
}

const name = 'the messaging platform'
const templatesAtOnce = 100
const mostPages = 20
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
    this.#wire = new Wire(name, sentenceIn, { ...options, tls })
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
  async send({
    phoneNumberId,
    accessToken,
    contact,
    content,
    opaque,
  }: OutgoingMessage): Promise<string | null> {
    const body = (await this.#wire.ask({
      method: 'POST',
      url: `${this.#base}/${encodeURIComponent(phoneNumberId)}/messages`,
      authorization: `Bearer ${accessToken}`,
      json: {
        messaging_product: 'whatsapp',
        recipient_type: 'individual',
        ...(contact.startsWith('+') ? { to: contact.slice(1) } : { recipient: contact }),
        ...content,
        biz_opaque_callback_data: opaque,
      },
      secrets: [accessToken],
    })) as Body | null | undefined
    const id = body?.messages?.[0]?.id
    return typeof id === 'string' ? id : null
  }

  /** Shows the contact that this message and those before it were read, and that an answer is being written. */
  async markRead({ phoneNumberId, accessToken, messageId, isTyping }: MarkRead) {
    await this.#wire.ask({
      method: 'POST',
      url: `${this.#base}/${encodeURIComponent(phoneNumberId)}/messages`,
      authorization: `Bearer ${accessToken}`,
      json: {
        messaging_product: 'whatsapp',
        status: 'read',
        message_id: messageId,
        ...(isTyping && { typing_indicator: { type: 'text' } }),
      },
      secrets: [accessToken],
    })
  }

  /** The approved templates of the business account that the number is in. */
  async templates(phoneNumberId: string, accessToken: string): Promise<PlatformTemplate[]> {
    const account = await this.#businessAccountOf(phoneNumberId, accessToken)
    const fields = 'name,language,status,category,parameter_format,components'
    const query = new URLSearchParams({ fields, status: 'APPROVED', limit: String(templatesAtOnce) })
    const templates: PlatformTemplate[] = []
    for (let page = 0; page < mostPages; page += 1) {
      const body = await this.#get(`${account}/message_templates?${query.toString()}`, accessToken)
      templates.push(...templatesIn(body?.data))
      const { next, cursors } = body?.paging ?? {}
      if (next === undefined || typeof cursors?.after !== 'string') break
      query.set('after', cursors.after)
    }
    return templates
  }

  /** Of the number's health the platform names every account that takes part in sending from it. */
  async #businessAccountOf(phoneNumberId: string, accessToken: string): Promise<string> {
    const body = await this.#get(`${encodeURIComponent(phoneNumberId)}?fields=health_status`, accessToken)
    const entities = body?.health_status?.entities
    const account = Array.isArray(entities)
      ? entities.find(({ entity_type }) => entity_type === 'WABA')?.id
      : undefined
    if (typeof account !== 'string') throw new WireFailure(name, 200)
    return encodeURIComponent(account)
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
