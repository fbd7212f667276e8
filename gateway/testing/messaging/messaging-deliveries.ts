import { createHmac, randomBytes } from 'node:crypto'
import type { MessagingNumberFake } from './messaging-fake.ts'
import type { SentMessage } from './messaging-fake-sends.ts'

/** What a contact sends; the fields beside these are of the message's own type. */
export interface FromContact {
  contact: string
  name?: string
  id?: string
  sentAt?: Date
  type?: string
  [field: string]: unknown
}

export const newMessageId = () => `wamid.${randomBytes(20).toString('base64')}`

const epoch = (at: Date) => String(Math.floor(at.getTime() / 1000))

function deliveryOf(number: MessagingNumberFake, value: object): object {
  const { phone_number_id, display_phone_number } = number
  const metadata = { display_phone_number: display_phone_number.replace(/\D/g, ''), phone_number_id }
  const change = { value: { messaging_product: 'whatsapp', metadata, ...value }, field: 'messages' }
  return { object: 'whatsapp_business_account', entry: [{ id: '102290129340398', changes: [change] }] }
}

/** Messages of contacts as the platform delivers them, in one delivery. */
export function messagesTo(number: MessagingNumberFake, ...came: FromContact[]): object {
  const digits = (contact: string) => contact.replace(/\D/g, '')
  const contacts = came.map(({ contact, name = 'Ana' }) => ({ profile: { name }, wa_id: digits(contact) }))
  const messages = came.map(
    ({ contact, name: _name, id = newMessageId(), sentAt = new Date(), type = 'text', ...rest }) => ({
      from: digits(contact),
      id,
      timestamp: epoch(sentAt),
      type,
      ...rest,
    }),
  )
  return deliveryOf(number, { contacts, messages })
}

/** What the platform says of a message that it took. */
export function statusOf(
  number: MessagingNumberFake,
  sent: SentMessage,
  status: string,
  more: object = {},
): object {
  return deliveryOf(number, {
    statuses: [
      {
        id: sent.id,
        status,
        timestamp: epoch(new Date()),
        recipient_id: sent.to.replace(/^\+/, ''),
        ...(sent.opaque !== undefined && { biz_opaque_callback_data: sent.opaque }),
        ...more,
      },
    ],
  })
}

export const signatureOf = (appSecret: string, body: string | Buffer) =>
  `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`

/** A delivery as the platform makes it, to a gateway at this address. */
export async function deliver(
  url: string,
  appSecret: string,
  delivery: object,
): Promise<{ status: number; body: unknown }> {
  const body = JSON.stringify(delivery)
  const answer = await fetch(`${url}/v1/msgapp/webhook`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-hub-signature-256': signatureOf(appSecret, body) },
    body,
  })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) }
}
