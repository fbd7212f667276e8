import { cutToLine } from '../../foundation/text.ts'
import type { Reply } from '../platform/received.ts'
import { withAdvice, type PlatformError } from '../platform/send-failures.ts'

/** The number that something came to, as the platform names it. */
export interface Line {
  phoneNumberId: string
  /** In E.164. */
  number: string
}

/** Types of which an app is shown that they came. */
export const shownTypes = ['image', 'video', 'document'] as const
export type ShownType = (typeof shownTypes)[number]

interface FromContact {
  line: Line
  contact: string
  name: string | null
  messageId: string
  sentAt: Date
}

export type DeliveredMessage = FromContact &
  (
    | { type: 'text'; text: string }
    | { type: 'audio'; mediaId: string }
    | { type: 'button' | 'interactive'; text: string; reply: Reply }
    /** `to` is the platform's id of the message that it is for. */
    | { type: 'reaction'; emoji: string; to: string }
    /** The caption. */
    | { type: ShownType; text: string }
  )

export interface DeliveredReceipt {
  line: Line
  contact: string
  messageId: string
  status: string
  opaque: string | null
  /** Why it failed. */
  error: PlatformError | null
}

export interface Delivery {
  /** In the order in which they came. */
  messages: DeliveredMessage[]
  receipts: DeliveredReceipt[]
  /** What else it held, named without what was said: a line of the gateway's log. */
  rest: string[]
}

const longestId = 512
const longestSentence = 500

/** Reads what the platform delivered. Nothing that it may hold is a failure: what has no known form is left. */
export function readDelivery(bytes: Buffer): Delivery {
  const delivery: Delivery = { messages: [], receipts: [], rest: [] }
  const body = parsed(bytes)
  const entries = isFields(body) ? body['entry'] : undefined
  if (!Array.isArray(entries)) delivery.rest.push('no delivery')
  for (const entry of fieldsIn(entries))
    for (const { field, value } of fieldsIn(entry['changes']))
      if (field === 'messages' && isFields(value)) readValue(value, delivery)
      else delivery.rest.push(field === 'messages' ? 'messages without a value' : 'another field')
  return delivery
}

function readValue(value: Fields, { messages, receipts, rest }: Delivery) {
  const line = lineOf(value['metadata'])
  if (!line) {
    rest.push('messages to no number')
    return
  }
  const contacts = fieldsIn(value['contacts'])
  for (const message of fieldsIn(value['messages'])) {
    const read = messageOf(message, line, contacts)
    if (typeof read === 'string') rest.push(read)
    else messages.push(read)
  }
  for (const status of fieldsIn(value['statuses'])) {
    const receipt = receiptOf(status, line)
    if (receipt) receipts.push(receipt)
    else rest.push('a receipt of no known form')
  }
  if (value['errors'] !== undefined) rest.push('errors of the platform')
}

/** A sentence for the log if the message is neither read nor shown. */
function messageOf(message: Fields, line: Line, contacts: readonly Fields[]): DeliveredMessage | string {
  const messageId = idIn(message['id'])
  const contact = contactOf(message['from'], message['from_user_id'])
  const sentAt = instantOf(message['timestamp'])
  if (messageId === undefined || contact === undefined || sentAt === undefined)
    return 'a message of no known form'
  if (message['group_id'] !== undefined) return 'a message of a group'
  const name = nameOf(message, contacts)
  const from: FromContact = { line, contact, name, messageId, sentAt }
  const type = message['type']
  const held = typeof type === 'string' ? message[type] : undefined
  const content = isFields(held) ? held : {}
  if (type === 'text') {
    const text = textIn(content['body'])
    return text.trim() === '' ? 'a text without words' : { ...from, type, text }
  }
  if (type === 'audio') {
    const mediaId = idIn(content['id'])
    return mediaId === undefined ? 'a voice note without sound' : { ...from, type, mediaId }
  }
  if (type === 'button' || type === 'interactive') {
    const reply = type === 'button' ? buttonIn(content) : replyIn(content)
    return reply ? { ...from, type, text: reply.title, reply } : 'a reply of a form that is not read'
  }
  if (type === 'reaction') {
    const [emoji, to] = [textIn(content['emoji']).trim(), idIn(content['message_id'])]
    return emoji === '' || to === undefined ? 'a reaction that was taken back' : { ...from, type, emoji, to }
  }
  const shown = shownTypes.find((known) => known === type)
  return shown
    ? { ...from, type: shown, text: textIn(content['caption']) }
    : 'a message of a type that is not read'
}

/** The quick reply of a template. */
const buttonIn = ({ text, payload }: Fields): Reply | undefined =>
  chosen({ id: textIn(payload) || text, title: text })

/** Of an interactive message: a button, or a row of a list. */
function replyIn({ button_reply, list_reply }: Fields): Reply | undefined {
  const reply = isFields(button_reply) ? button_reply : list_reply
  return isFields(reply) ? chosen(reply) : undefined
}

function chosen(reply: Fields): Reply | undefined {
  const [id, title, description] = [reply['id'], reply['title'], reply['description']].map(textIn)
  if (!id || !title?.trim()) return undefined
  return { id, title, ...(description && { description }) }
}

function receiptOf(status: Fields, line: Line): DeliveredReceipt | undefined {
  const messageId = idIn(status['id'])
  const contact = contactOf(status['recipient_id'], status['recipient_user_id'])
  const said = idIn(status['status'])
  if (messageId === undefined || contact === undefined || said === undefined) return undefined
  return {
    line,
    contact,
    messageId,
    status: said,
    opaque: idIn(status['biz_opaque_callback_data']) ?? null,
    error: errorIn(status['errors']),
  }
}

/** The first that the platform gives: its title and its explanation. */
function errorIn(errors: unknown): PlatformError | null {
  const [error] = fieldsIn(errors)
  if (!error) return null
  const code = Number.isSafeInteger(error['code']) ? Number(error['code']) : null
  const data = error['error_data']
  const title = textIn(error['title']) || textIn(error['message'])
  const said = [...new Set([title, isFields(data) ? textIn(data['details']) : ''])].filter(Boolean).join(': ')
  const numbered = code === null ? said : `(#${code}) ${said}`
  const line = `the messaging platform says: ${numbered}`
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .slice(0, longestSentence)
  return { code, detail: withAdvice(code, line.trim()) }
}

function lineOf(metadata: unknown): Line | undefined {
  if (!isFields(metadata)) return undefined
  const phoneNumberId = idIn(metadata['phone_number_id'])
  const shown = metadata['display_phone_number']
  const digits = typeof shown === 'string' ? shown.replace(/\D/g, '') : ''
  return phoneNumberId === undefined ? undefined : { phoneNumberId, number: `+${digits}` }
}

/** The form that calls use too, so that a person is one contact; one without a number is known by an id alone. */
function contactOf(phone: unknown, userId: unknown): string | undefined {
  const said = idIn(phone)
  const digits = said?.replace(/[\s().+-]/g, '') ?? ''
  return /^\d+$/.test(digits) ? `+${digits}` : (said ?? idIn(userId))
}

function nameOf(message: Fields, contacts: readonly Fields[]): string | null {
  const { from, from_user_id } = message
  const isSender = ({ wa_id, user_id }: Fields) =>
    (wa_id !== undefined && wa_id === from) || (user_id !== undefined && user_id === from_user_id)
  const sender = contacts.find(isSender) ?? (contacts.length === 1 ? contacts[0] : undefined)
  const profile = sender?.['profile']
  return isFields(profile) ? cutToLine(textIn(profile['name']), '') || null : null
}

/** Seconds since 1970, which the platform writes as text. */
function instantOf(said: unknown): Date | undefined {
  const seconds = typeof said === 'number' ? String(said) : said
  return typeof seconds === 'string' && /^\d{1,11}$/.test(seconds)
    ? new Date(Number(seconds) * 1000)
    : undefined
}

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const fieldsIn = (list: unknown): Fields[] => (Array.isArray(list) ? list.filter(isFields) : [])

/** A name that a row can have: no index takes a long one, and no text a NUL. */
const idIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= longestId && isKept(value) ? value : undefined

const isKept = (text: string) => !text.includes('\0') && text.isWellFormed()

/** What PostgreSQL cannot keep is left out of it. */
const textIn = (value: unknown): string =>
  typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : ''

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}
