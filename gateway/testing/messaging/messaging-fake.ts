import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { ServerCertificate } from '../certificates.ts'
import {
  readSend,
  type MessagingNumberFake,
  type MessagingRequest,
  type SentMessage,
} from './messaging-fake-sends.ts'
import type { TemplateFake } from './messaging-fake-templates.ts'

export {
  contactOf,
  type MessagingNumberFake,
  type MessagingRequest,
  type SentMessage,
} from './messaging-fake-sends.ts'

/** What the test wants of a request. */
export type MessagingFault =
  | { status: number; message?: string; code?: number; details?: string }
  | 'hangs'
  | 'breaks'

interface MediaFake {
  id: string
  bytes: Buffer
  mime_type: string
}

const version = '/v26.0'

/** The messaging platform's API on loopback. */
export class MessagingFake {
  readonly requests: MessagingRequest[] = []
  readonly numbers: MessagingNumberFake[] = []
  readonly sent: SentMessage[] = []
  /** Messages of contacts that were marked as read, and whether that showed that an answer is being written. */
  readonly reads: { message_id: string; isTyping: boolean }[] = []
  readonly templates: TemplateFake[] = []
  /** When each contact last wrote, if the fake is to refuse texts after 24 hours as the platform does. */
  lastWrote: { has: (contact: string, now: Date) => boolean } | undefined
  now: () => Date = () => new Date()
  /** Also waited for, so that a test decides when the platform answers. */
  fault: (request: MessagingRequest) => MessagingFault | undefined | Promise<MessagingFault | undefined> =
    () => undefined
  /** Called with every text it took, before it answers. */
  onSent: (sent: SentMessage) => void | Promise<void> = () => {}
  /** A token that opens every number. */
  readonly platformToken = `EAA${randomBytes(24).toString('hex')}`
  readonly #media: MediaFake[] = []
  readonly #server = createServer((request, response) => void this.#answer(request, response))
  /** The server of files, which as on the platform is another than that of the API. */
  #files: ReturnType<typeof createSecureServer> | undefined

  /** Files are given over TLS if there is a certificate for it. */
  static async start(certificate?: ServerCertificate): Promise<MessagingFake> {
    const fake = new MessagingFake()
    await new Promise<void>((resolve) => fake.#server.listen(0, '127.0.0.1', resolve))
    if (certificate) {
      const files = createSecureServer(
        certificate,
        (request, response) => void fake.#answer(request, response),
      )
      await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve))
      fake.#files = files
    }
    return fake
  }

  get url() {
    return `${this.#origin}${version}`
  }

  get #origin() {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get #fileOrigin() {
    if (!this.#files) return this.#origin
    return `https://127.0.0.1:${(this.#files.address() as AddressInfo).port}`
  }

  /** The settings that lead a gateway here. */
  get settings() {
    return { SVC_MSGAPP_API: this.url }
  }

  /** A number with an id and a token of its own, shown as the platform shows it. */
  addNumber(number: string, verified_name = 'Acme Desk'): MessagingNumberFake {
    const added = {
      phone_number_id: String(1e14 + Number(`0x${randomBytes(5).toString('hex')}`)),
      business_account: String(2e14 + Number(`0x${randomBytes(5).toString('hex')}`)),
      access_token: `EAA${randomBytes(24).toString('hex')}`,
      display_phone_number: number.replace(/^(\+\d)(\d{3})(\d{3})/, '$1 $2-$3-'),
      verified_name,
    }
    this.numbers.push(added)
    return added
  }

  /** A template of the number's business account; approved unless it says otherwise. */
  addTemplate(
    { business_account }: MessagingNumberFake,
    template: Pick<TemplateFake, 'name' | 'components'> & Partial<TemplateFake>,
  ): TemplateFake {
    const added: TemplateFake = {
      id: String(3e14 + this.templates.length),
      business_account,
      language: 'en_US',
      status: 'APPROVED',
      category: 'UTILITY',
      parameter_format: 'POSITIONAL',
      ...template,
    }
    this.templates.push(added)
    return added
  }

  /** A file that a contact sent; answers its id. */
  addMedia(bytes: Buffer, mime_type = 'audio/ogg; codecs=opus'): string {
    const id = String(1e15 + Number(`0x${randomBytes(5).toString('hex')}`))
    this.#media.push({ id, bytes, mime_type })
    return id
  }

  /** What contacts were sent, in the order in which it came. */
  textsTo(contact: string): string[] {
    return this.sent.filter(({ to, template }) => to === contact && !template).map(({ text }) => text)
  }

  async stop() {
    for (const server of [this.#server, this.#files]) {
      server?.closeAllConnections()
      if (server) await new Promise((resolve) => server.close(resolve))
    }
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse) {
    const bytes = Buffer.concat(await incoming.on('error', () => {}).toArray())
    const url = new URL(incoming.url ?? '/', this.url)
    const body = parsed(bytes)
    const request: MessagingRequest = {
      method: incoming.method ?? 'GET',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      token: incoming.headers.authorization?.replace(/^Bearer /, '') ?? '',
      ...(body && { body }),
    }
    this.requests.push(request)
    const fault = await this.fault(request)
    if (response.destroyed) return // a client that is gone before it was taken has sent nothing
    if (fault === 'hangs') return
    if (fault === 'breaks') return void response.destroy()
    const send = (status: number, answer: object) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer))
    }
    const refuse = (status: number, message: string, code: number, details?: string) => {
      const error_data =
        details === undefined ? {} : { error_data: { messaging_product: 'whatsapp', details } }
      send(status, { error: { message, type: 'OAuthException', code, ...error_data, fbtrace_id: 'A1' } })
    }
    if (fault) {
      const { status, message = 'An unexpected error has occurred.', code = 2, details } = fault
      return refuse(status, message, code, details)
    }

    const opened = this.#openedBy(request.token)
    if (opened.length === 0) return refuse(401, 'Invalid OAuth access token - Cannot parse access token', 190)
    const file = this.#media.find(({ id }) => request.path === `/media/${id}`)
    if (file) {
      response.writeHead(200, { 'content-type': file.mime_type })
      response.end(file.bytes)
      return
    }
    const number = opened.find(({ phone_number_id }) =>
      [`${version}/${phone_number_id}`, `${version}/${phone_number_id}/messages`].includes(request.path),
    )
    if (number && request.method === 'POST' && request.path.endsWith('/messages')) {
      const { status, message_id, typing_indicator } = request.body ?? {}
      if (status === 'read') {
        if (typeof message_id !== 'string' || !message_id.startsWith('wamid.'))
          return refuse(400, '(#100) Invalid parameter', 100, 'Message ID is invalid')
        this.reads.push({ message_id, isTyping: typing_indicator !== undefined })
        return send(200, { success: true })
      }
      const { templates, lastWrote } = this
      const isOpen = (contact: string) => lastWrote?.has(contact, this.now()) ?? true
      const sent = readSend(request, number, { templates, isOpen })
      if ('title' in sent)
        return refuse(sent.status, `(#${sent.code}) ${sent.title}`, sent.code, sent.details)
      this.sent.push(sent)
      await this.onSent(sent)
      const contact = { input: sent.to, wa_id: sent.to.replace(/^\+/, '') }
      return send(200, { messaging_product: 'whatsapp', contacts: [contact], messages: [{ id: sent.id }] })
    }
    const listed = opened.find(
      ({ business_account }) => request.path === `${version}/${business_account}/message_templates`,
    )
    if (listed && request.method === 'GET') return send(200, this.#templatesOf(listed, request.query))
    const media = this.#media.find(({ id }) => request.path === `${version}/${id}`)
    if (media && request.method === 'GET') return send(200, this.#shown(media))
    if (!number || request.method !== 'GET')
      return refuse(
        400,
        `Unsupported ${request.method.toLowerCase()} request. Object with ID '${request.path.split('/').at(-1)}' does not exist`,
        100,
      )
    const fields = request.query['fields']?.split(',') ?? ['display_phone_number', 'verified_name']
    const { phone_number_id, business_account } = number
    const entities = [
      { entity_type: 'PHONE_NUMBER', id: phone_number_id, can_send_message: 'AVAILABLE' },
      { entity_type: 'WABA', id: business_account, can_send_message: 'AVAILABLE' },
      { entity_type: 'BUSINESS', id: '506914307656634', can_send_message: 'AVAILABLE' },
      { entity_type: 'APP', id: '670843887433847', can_send_message: 'AVAILABLE' },
    ]
    const { display_phone_number, verified_name } = number
    const health_status = { can_send_message: 'AVAILABLE', entities }
    const shown = Object.entries({ display_phone_number, verified_name, health_status })
    const asked = shown.filter(([name]) => fields.includes(name))
    send(200, { ...Object.fromEntries(asked), id: phone_number_id })
  }

  /** A page of a business account's templates, with the cursor of the next. */
  #templatesOf({ business_account }: MessagingNumberFake, query: Record<string, string>) {
    const own = this.templates.filter(
      (template) =>
        template.business_account === business_account &&
        (query['status'] === undefined || template.status === query['status']),
    )
    const start = own.findIndex(({ id }) => id === query['after']) + 1
    const page = own.slice(start, start + Number(query['limit'] ?? 25))
    const fields = query['fields']?.split(',') ?? ['name', 'language', 'status', 'category', 'components']
    const data = page.map(({ id, ...template }) => ({
      ...Object.fromEntries(Object.entries(template).filter(([name]) => fields.includes(name))),
      id,
    }))
    const after = page.at(-1)?.id ?? ''
    const isMore = start + page.length < own.length
    const next = { next: `${this.url}/${business_account}/message_templates?after=${after}` }
    return { data, paging: { cursors: { before: page[0]?.id ?? '', after }, ...(isMore && next) } }
  }

  #openedBy(token: string): MessagingNumberFake[] {
    if (token === this.platformToken) return this.numbers
    return this.numbers.filter(({ access_token }) => access_token === token)
  }

  #shown({ id, bytes, mime_type }: MediaFake) {
    return {
      messaging_product: 'whatsapp',
      url: `${this.#fileOrigin}/media/${id}`,
      mime_type,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      file_size: bytes.length,
      id,
    }
  }
}

function parsed(bytes: Buffer): Record<string, unknown> | undefined {
  try {
    return JSON.parse(bytes.toString()) as Record<string, unknown>
  } catch {
    return undefined
  }
}
