import { randomBytes } from 'node:crypto'
import { refusalOf, type PlatformRefusal, type TemplateFake } from './messaging-fake-templates.ts'

export interface MessagingRequest {
  method: string
  path: string
  query: Record<string, string>
  token: string
  /** What was sent with it, if that was JSON. */
  body?: Record<string, unknown>
}

export interface MessagingNumberFake {
  phone_number_id: string
  /** The id of the business account that the number is in. */
  business_account: string
  access_token: string
  display_phone_number: string
  verified_name: string
}

/** The contact that a message goes to, with `+`, or by the platform's own id. */
export const contactOf = ({ body = {} }: MessagingRequest) =>
  typeof body['to'] === 'string' ? `+${body['to'].replace(/\D/g, '')}` : body['recipient']

/** A text or a template that the platform took for a contact. */
export interface SentMessage {
  /** The platform's own id of it. */
  id: string
  phone_number_id: string
  token: string
  /** With `+`, or the platform's own id of the contact. */
  to: string
  /** Empty for a template. */
  text: string
  template?: Record<string, unknown>
  opaque: string | undefined
}

const invalid = (details: string): PlatformRefusal => ({
  status: 400,
  code: 100,
  title: 'Invalid parameter',
  details,
})

interface Rules {
  templates: readonly TemplateFake[]
  /** Whether the contact wrote within 24 hours. */
  isOpen: (contact: string) => boolean
}

/** As the platform takes it: to a number or to one of its own ids, a text of at most 4096 characters or a template. */
export function readSend(
  request: MessagingRequest,
  number: MessagingNumberFake,
  { templates, isOpen }: Rules,
): SentMessage | PlatformRefusal {
  const {
    messaging_product,
    type = 'text',
    text,
    template,
    biz_opaque_callback_data: opaque,
  } = request.body ?? {}
  const contact = contactOf(request)
  if (messaging_product !== 'whatsapp') return invalid('The parameter messaging_product is required.')
  if (typeof contact !== 'string') return invalid('The parameter to is required.')
  if (typeof opaque === 'string' && opaque.length > 512)
    return invalid('biz_opaque_callback_data is too long')
  const sent = {
    id: `wamid.${randomBytes(16).toString('base64')}`,
    phone_number_id: number.phone_number_id,
    token: request.token,
    to: contact,
    text: '',
    opaque: typeof opaque === 'string' ? opaque : undefined,
  }
  if (type === 'template') {
    const fields = (template ?? {}) as Record<string, unknown>
    const own = templates.filter(({ business_account }) => business_account === number.business_account)
    return refusalOf(fields, own) ?? { ...sent, template: fields }
  }
  const words = (text as { body?: unknown } | undefined)?.body
  if (type !== 'text' || typeof words !== 'string' || words === '') return invalid('text.body is required')
  if (words.length > 4096) return invalid("Param text['body'] must be at most 4096 characters long.")
  if (isOpen(contact)) return { ...sent, text: words }
  return {
    status: 400,
    code: 131047,
    title: 'Re-engagement message',
    details:
      'Message failed to send because more than 24 hours have passed since the customer last replied to this number.',
  }
}
