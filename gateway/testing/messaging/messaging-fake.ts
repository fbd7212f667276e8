import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { ServerCertificate } from '../certificates.ts'

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
  access_token: string
  display_phone_number: string
  verified_name: string
}

/** The contact that a text goes to, with `+`, or by the platform's own id. */
export const contactOf = ({ body = {} }: MessagingRequest) =>
  typeof body['to'] === 'string' ? `+${body['to'].replace(/\D/g, '')}` : body['recipient']

/** A text that the platform took for a contact. */
export interface SentText {
  /** The platform's own id of it. */
  id: string
  phone_number_id: string
  token: string
  /** With `+`, or the platform's own id of the contact. */
  to: string
  text: string
  opaque: string | undefined
}

/** What the test wants of a request. */
export type MessagingFault = { status: number; message?: string } | 'hangs' | 'breaks'

interface MediaFake {
  id: string
  bytes: Buffer
  mime_type: string
}

const version = '/v21.0'

/** The messaging platform's API on loopback. */
export class MessagingFake {
  readonly requests: MessagingRequest[] = []
  readonly numbers: MessagingNumberFake[] = []
  readonly sent: SentText[] = []
  /** Also waited for, so that a test decides when the platform answers. */
  fault: (request: MessagingRequest) => MessagingFault | undefined | Promise<MessagingFault | undefined> =
    () => undefined
  /** Called with every text it took, before it answers. */
  onSent: (sent: SentText) => void | Promise<void> = () => {}
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
      access_token: `EAA${randomBytes(24).toString('hex')}`,
      display_phone_number: number.replace(/^(\+\d)(\d{3})(\d{3})/, '$1 $2-$3-'),
      verified_name,
    }
    this.numbers.push(added)
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
    return this.sent.filter(({ to }) => to === contact).map(({ text }) => text)
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
    const refuse = (status: number, message: string, code: number) =>
      send(status, { error: { message, type: 'OAuthException', code, fbtrace_id: 'A1' } })
    if (fault) return refuse(fault.status, fault.message ?? 'An unexpected error has occurred.', 2)

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
      const sent = sentOf(request, number)
      if (!sent) return refuse(400, '(#100) Invalid parameter', 100)
      this.sent.push(sent)
      await this.onSent(sent)
      const contact = { input: sent.to, wa_id: sent.to.replace(/^\+/, '') }
      return send(200, { messaging_product: 'whatsapp', contacts: [contact], messages: [{ id: sent.id }] })
    }
    const media = this.#media.find(({ id }) => request.path === `${version}/${id}`)
    if (media && request.method === 'GET') return send(200, this.#shown(media))
    if (!number || request.method !== 'GET')
      return refuse(
        400,
        `Unsupported ${request.method.toLowerCase()} request. Object with ID '${request.path.split('/').at(-1)}' does not exist`,
        100,
      )
    const fields = request.query['fields']?.split(',') ?? ['display_phone_number', 'verified_name']
    const shown = Object.entries(number).filter(([name]) => fields.includes(name))
    send(200, { ...Object.fromEntries(shown), id: number.phone_number_id })
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

/** As the platform takes it: to a number or to one of its own ids, and a text of at most 4096 characters. */
function sentOf(request: MessagingRequest, number: MessagingNumberFake): SentText | undefined {
  const { messaging_product, type, text, biz_opaque_callback_data: opaque } = request.body ?? {}
  const words = (text as { body?: unknown } | undefined)?.body
  const isText = messaging_product === 'whatsapp' && type === 'text' && typeof words === 'string'
  const contact = contactOf(request)
  if (!isText || words === '' || words.length > 4096 || typeof contact !== 'string') return undefined
  return {
    id: `wamid.${randomBytes(16).toString('base64')}`,
    phone_number_id: number.phone_number_id,
    token: request.token,
    to: contact,
    text: words,
    opaque: typeof opaque === 'string' ? opaque : undefined,
  }
}
