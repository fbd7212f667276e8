import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type Server as TlsServer, type TLSSocket } from 'node:tls'
import type { ServerCertificate } from './server-certificate.ts'

export interface TlsListenerOptions {
  host: string
  port: number
  certificate: ServerCertificate
  handshakeWithinMs: number
}

/** The port for SIP over TLS. A connection costs no handshake before it is let in. */
export class TlsListener {
  readonly port: number
  readonly #plain: Server
  readonly #secure: TlsServer
  readonly #certificate: ServerCertificate
  /** Connections that have not agreed on keys yet. */
  readonly #shaking = new Map<string, Socket>()

  private constructor(plain: Server, { certificate, handshakeWithinMs }: TlsListenerOptions) {
    const address = plain.address()
    this.port = typeof address === 'object' && address ? address.port : 0
    this.#plain = plain
    this.#certificate = certificate
    const isAsked = certificate.terms.ca !== undefined
    this.#secure = createTlsServer({
      ...certificate.terms,
      requestCert: isAsked,
      rejectUnauthorized: isAsked,
      handshakeTimeout: handshakeWithinMs,
    })
    certificate.onChanged((terms) => this.#secure.setSecureContext(terms))
    this.#secure.on('tlsClientError', (_, socket) => socket.destroy())
  }

  static async open(options: TlsListenerOptions): Promise<TlsListener> {
    const plain = createServer({ noDelay: true, keepAlive: true })
    plain.listen(options.port, options.host)
    await once(plain, 'listening')
    return new TlsListener(plain, options)
  }

  get handshakes(): number {
    return this.#shaking.size
  }

  onConnection(take: (socket: Socket) => void): void {
    this.#plain.on('connection', take).on('error', () => {})
  }

  onSecure(take: (socket: TLSSocket) => void): void {
    this.#secure.on('secureConnection', (socket) => {
      this.#shaking.delete(endOf(socket))
      take(socket)
    })
  }

  /** Agrees on keys with a connection that was let in. */
  shake(socket: Socket): void {
    const end = endOf(socket)
    this.#shaking.set(end, socket)
    socket.once('close', () => {
      if (this.#shaking.get(end) === socket) this.#shaking.delete(end)
    })
    this.#secure.emit('connection', socket)
  }

  async close(): Promise<void> {
    this.#certificate.stop()
    for (const socket of this.#shaking.values()) socket.destroy()
    await new Promise<void>((resolve) => this.#plain.close(() => resolve()))
  }
}

const endOf = (socket: Socket) => `${socket.remoteAddress} ${socket.remotePort}`
