import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import type { ServerCertificate } from '../certificates.ts'
import { until } from '../until.ts'

export interface ReceivedEvent {
  id: string
  path: string
  headers: Record<string, string>
  text: string
  // Tests read fields of bodies whose shape they are there to prove.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any
}

export interface Reply {
  status?: number
  text?: string
  headers?: Record<string, string>
  /** The answer never comes. */
  hangs?: boolean
}

/** A receiver of an org's, as a real server; the library of Standard Webhooks verifies what it got. */
export class WebhookReceiver implements AsyncDisposable {
  readonly received: ReceivedEvent[] = []
  /** What it answers to a request, at once or later. */
  reply: (event: ReceivedEvent) => Reply | Promise<Reply> = () => ({})
  readonly #server: ReturnType<typeof createServer>
  readonly #scheme: string

  private constructor(server: ReturnType<typeof createServer>, scheme: string) {
    this.#server = server
    this.#scheme = scheme
  }

  static async start(certificate?: ServerCertificate): Promise<WebhookReceiver> {
    const listener: RequestListener = (request, response) => {
      void (async () => {
        const event = await receivedOf(request)
        receiver.received.push(event)
        const { status = 204, text = '', headers = {}, hangs } = await receiver.reply(event)
        if (hangs) return
        response.writeHead(status, headers).end(text)
      })()
    }
    const server = certificate ? createTlsServer(certificate, listener) : createServer(listener)
    const receiver = new WebhookReceiver(server, certificate ? 'https' : 'http')
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return receiver
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  at(host: string, path = '/hooks'): string {
    return `${this.#scheme}://${host}:${this.port}${path}`
  }

  /** What came at a path, once there is so much of it. */
  async events(path: string, count = 1): Promise<ReceivedEvent[]> {
    const found = () => this.received.filter((event) => event.path === path)
    await until(`${path} got ${count} requests`, () => found().length >= count, 60_000)
    return found()
  }

  async [Symbol.asyncDispose]() {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

/** Throws unless the library accepts the signature. */
export const verified = (secret: string, { text, headers }: ReceivedEvent): unknown =>
  new Webhook(secret).verify(text, headers)

async function receivedOf(request: IncomingMessage): Promise<ReceivedEvent> {
  const text = (await buffer(request)).toString()
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  )
  return {
    id: headers['webhook-id'] ?? '',
    path: request.url ?? '',
    headers,
    text,
    body: JSON.parse(text),
  }
}
