import { createHmac } from 'node:crypto'

// What the messaging platform's documentation shows of its deliveries, a form at a time.

const digest = 'kAWbHkX0gqzMGf7lnSGqZDRSe9jGTMrcTkRZZpGLkIg='
const media = (mime_type: string, id: string) => ({ mime_type, sha256: digest, id })

/** Of every type of message, what it has beside its sender and its time. */
export const exampleMessages = {
  text: { type: 'text', text: { body: 'MESSAGE_BODY' } },
  'text that answers another': {
    context: { from: '15550783881', id: 'wamid.HBgLMTY0NjcwNDM1OTUVAgASGBQzQUZCMTY0MDc2MUYwNzBDNTY5MAA=' },
    type: 'text',
    text: { body: 'Yes, that one' },
  },
  'forwarded text': {
    context: { forwarded: true, frequently_forwarded: true },
    type: 'text',
    text: { body: 'Passed on' },
  },
  'text about a product': {
    context: {
      from: '15550783881',
      id: 'wamid.ID',
      referred_product: { catalog_id: '194836987003835', product_retailer_id: 'di9ozbzfi4' },
    },
    type: 'text',
    text: { body: 'Is it still there?' },
  },
  'text from an advertisement': {
    referral: {
      source_url: 'https://fb.example/ad',
      source_id: '120226305854810726',
      source_type: 'ad',
      headline: 'Chat with us',
      body: 'Succulents are in!',
      media_type: 'image',
      image_url: 'https://fb.example/image',
      ctwa_clid:
        'Aff-n8ZTODiE79d22KtAwQKj9e_mIEOOj27vDVwFjN80dp4_0NiNhEgpGo0AHemvuSoifXaytfTzcchptiErTKCqTrJ5nW1h7IHYeYymGb5K5J5iTROpBhWAGaIAeUzHL50',
      welcome_message: { text: 'Hi there!' },
    },
    type: 'text',
    text: { body: 'Can I get more info about this?' },
  },
  audio: { type: 'audio', audio: { ...media('audio/ogg; codecs=opus', '1908647269898587'), voice: true } },
  'audio that is no voice note': {
    type: 'audio',
    audio: { ...media('audio/mpeg', '1908647269898588'), voice: false },
  },
  image: {
    type: 'image',
    image: { caption: 'This is a caption', ...media('image/jpeg', '1003383421387256') },
  },
  'image without a caption': { type: 'image', image: media('image/jpeg', '1003383421387256') },
  video: { type: 'video', video: { caption: 'Look!', ...media('video/mp4', '1003383421387257') } },
  document: {
    type: 'document',
    document: {
      caption: 'The contract',
      filename: 'contract.pdf',
      ...media('application/pdf', '1003383421387258'),
    },
  },
  sticker: { type: 'sticker', sticker: { ...media('image/webp', '798882015472548'), animated: false } },
  location: {
    type: 'location',
    location: {
      latitude: 37.4419,
      longitude: -122.1614,
      name: 'Philz Coffee',
      address: '101 Forest Ave, Palo Alto',
      url: 'https://foursquare.example/philz',
    },
  },
  contacts: {
    type: 'contacts',
    contacts: [
      {
        addresses: [{ city: 'Menlo Park', country: 'United States', country_code: 'us', type: 'WORK' }],
        birthday: '1999-01-23',
        emails: [{ email: 'bjohnson@example.com', type: 'WORK' }],
        name: { formatted_name: 'Barbara J. Johnson', first_name: 'Barbara', last_name: 'Johnson' },
        org: { company: 'Social Tsunami', title: 'Lead Counsel' },
        phones: [{ phone: '+1 (940) 555-1234', wa_id: '19405551234', type: 'HOME' }],
      },
    ],
  },
  button: {
    context: { from: '15550783881', id: 'wamid.ID' },
    type: 'button',
    button: { text: 'Unsubscribe', payload: 'Unsubscribe' },
  },
  'interactive button': {
    context: { from: '15550783881', id: 'wamid.ID' },
    type: 'interactive',
    interactive: { type: 'button_reply', button_reply: { id: 'cancel-button', title: 'Cancel' } },
  },
  'interactive list': {
    context: { from: '15550783881', id: 'wamid.ID' },
    type: 'interactive',
    interactive: {
      type: 'list_reply',
      list_reply: {
        id: 'priority_express',
        title: 'Priority Mail Express',
        description: 'Next day to 2 days',
      },
    },
  },
  'interactive flow': {
    context: { from: '15550783881', id: 'wamid.ID' },
    type: 'interactive',
    interactive: {
      type: 'nfm_reply',
      nfm_reply: { name: 'flow', body: 'Sent', response_json: '{"flow_token": "1"}' },
    },
  },
  'call permission': {
    type: 'interactive',
    interactive: {
      type: 'call_permission_reply',
      call_permission_reply: { response: 'accept', expiration_timestamp: 1749416383 },
    },
  },
  order: {
    type: 'order',
    order: {
      catalog_id: '194836987003835',
      text: 'Love these!',
      product_items: [{ product_retailer_id: 'di9ozbzfi4', quantity: 2, item_price: 30, currency: 'USD' }],
    },
  },
  reaction: { type: 'reaction', reaction: { message_id: 'wamid.ID', emoji: '👍' } },
  'reaction taken back': { type: 'reaction', reaction: { message_id: 'wamid.ID' } },
  system: {
    type: 'system',
    system: {
      body: 'User Sheena Nelson changed from 16505551234 to 12195555358',
      wa_id: '12195555358',
      type: 'user_changed_number',
    },
  },
  'identity change': {
    type: 'system',
    system: { body: 'Sheena Nelson’s security code changed', type: 'customer_identity_changed' },
  },
  welcome: { type: 'request_welcome' },
  unsupported: {
    type: 'unsupported',
    unsupported: { type: 'poll_creation' },
    errors: [
      {
        code: 131051,
        title: 'Message type unknown',
        message: 'Message type unknown',
        error_data: { details: 'Message type is currently not supported.' },
      },
    ],
  },
  unknown: {
    type: 'unknown',
    errors: [
      {
        code: 501,
        title: 'Unsupported message type',
        details: 'Message type is not currently supported',
      },
    ],
  },
} as const satisfies Record<string, object>

const pricing = { billable: true, pricing_model: 'PMP', type: 'regular', category: 'service' }

/** What each status has beside its id and its contact. */
export const exampleStatuses = {
  sent: {
    status: 'sent',
    conversation: {
      id: '6ceb9d929c9bdc4f90967a32f8639b4d',
      expiration_timestamp: '1688071260',
      origin: { type: 'service' },
    },
    pricing,
  },
  delivered: { status: 'delivered', pricing },
  read: { status: 'read' },
  failed: {
    status: 'failed',
    errors: [
      {
        code: 131047,
        title: 'Re-engagement message',
        message: 'Re-engagement message',
        error_data: { details: 'Message failed to send because more than 24 hours have passed.' },
        href: 'https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/',
      },
    ],
  },
} as const

/** What else the platform brings to the same door. */
export const otherFields = {
  message_template_status_update: {
    event: 'APPROVED',
    message_template_id: 594425479261596,
    message_template_name: 'seasonal_promotion',
    message_template_language: 'en_US',
    reason: 'NONE',
  },
  account_alerts: {
    entity_type: 'BUSINESS',
    entity_id: '506914307656634',
    alert_severity: 'INFORMATIONAL',
  },
  calls: {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: '15550783881', phone_number_id: '106540352242922' },
    calls: [{ id: 'wacid.ABGGFjFVU2AfAgo6V', from: '16505551234', to: '15550783881', event: 'connect' }],
  },
} as const

export interface PlatformValue {
  messages?: readonly object[]
  statuses?: readonly object[]
  contacts?: readonly object[]
  errors?: readonly object[]
}

export interface PlatformLine {
  phone_number_id: string
  display_phone_number: string
}

/** A delivery of one change to one number. */
export const deliveryOf = (line: PlatformLine, value: PlatformValue) => ({
  object: 'whatsapp_business_account',
  entry: [
    {
      id: '102290129340398',
      changes: [
        {
          value: {
            messaging_product: 'whatsapp',
            metadata: {
              display_phone_number: line.display_phone_number,
              phone_number_id: line.phone_number_id,
            },
            ...value,
          },
          field: 'messages',
        },
      ],
    },
  ],
})

/** As the platform signs: over the bytes that it sends. */
export const signatureOf = (secret: string, bytes: string | Buffer) =>
  `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`
