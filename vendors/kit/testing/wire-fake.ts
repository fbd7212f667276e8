import { randomBytes } from 'node:crypto'
import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'

/** How the fake behaves from the next request on. */
export type Mode =
  | 'answer'
  | 'refuse'
  | 'fault'
  | 'hang'
  | 'break'
  | 'garbage'
  | 'flood'
  /** Says its first words, and then nothing more. */
  | 'stall'
  /** 429 with a wait to the first request, and an answer to the next. */
  | 'busy'
  /** 529 to every request. */
  | 'overloaded'

/** How one vendor speaks when all is well, and how it says no. */
export interface Wire {
  http?(request: Seen, answer: HttpAnswer): void | Promise<void>
  socket?(socket: SocketAnswer, request: Seen): void
  /** The body of a refusal with these words, as this vendor writes it. */
  refusal(words: string): object
  /** How the vendor says that it is too busy and for how long. Default: a refusal and `retry-after-ms`. */
  busy?: { headers?: Record<string, string>; body?: (words: string) => object }
  /** If the vendor accepts the handshake and refuses on the socket. */
  socketRefusal?(socket: SocketAnswer, words: string): void
}

export interface WireCertificate {
  key: string
  cert: string
}

export interface Seen {
  method: string
  /** Path and query, without the address. */
  url: URL
  headers: IncomingMessage['headers']
  body: Buffer
}

/** What a vendor writes over HTTP; the mode may break, flood or garble it on the way. */
export interface HttpAnswer {
  start(headers: Record<string, string>, status?: number): void
  piece(data: string | Uint8Array): Promise<void>
  end(): void
  json(body: unknown, status?: number): Promise<void>
}

export interface SocketAnswer {
  send(data: string | object | Uint8Array): void
  onFrame(take: (frame: string | Buffer) => void): void
  close(code?: number, reason?: string): void
}

/** A vendor's wire on loopback that can answer, refuse, hang, break, flood and send garbage. */
export class WireFake {
  #mode: Mode = 'answer'
  #isBusy = false
  /** What a refusal says. */
  words = 'the fake says no'
  readonly seen: Seen[] = []
  #stall = Promise.withResolvers<void>()
  #open = 0
  readonly #wire: Wire
  readonly #isSecure: boolean
  readonly #server: ReturnType<typeof createServer>
  /** Of TLS, that came to their end. */
  handshakes = 0
  readonly #sockets = new WebSocketServer({ noServer: true })
  readonly #unopened = new Set<Duplex>()

  constructor(wire: Wire, certificate?: WireCertificate) {
    this.#wire = wire
    this.#isSecure = certificate !== undefined
    const answer: RequestListener = (request, response) => void this.#answer(request, response)
    this.#server = certificate ? createSecureServer(certificate, answer) : createServer(answer)
    this.#server.on('secureConnection', () => (this.handshakes += 1))
    this.#server.on('upgrade', (request, socket, head) => {
      const seen = this.#see(request, Buffer.alloc(0))
      socket.on('error', () => {})
      socket.once('close', () => (this.#open -= 1))
      const isRefused = this.mode === 'refuse' && !this.#wire.socketRefusal
      const status = isRefused ? 400 : this.#wire.socket ? this.#takeStatus() : 404
      if (this.mode !== 'hang' && status === undefined) {
        this.#sockets.handleUpgrade(request, socket, head, (opened) => this.#converse(opened, seen))
        return
      }
      this.#unopened.add(socket)
      socket.resume().once('end', () => socket.destroy()) // unread, it would never see the other side go
      if (status !== undefined) socket.write(handshakeAnswer(status, this.#refusal(status)))
    })
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return this
  }

  get #port() {
    return (this.#server.address() as AddressInfo).port
  }

  get mode(): Mode {
    return this.#mode
  }

  set mode(mode: Mode) {
    this.#mode = mode
    this.#isBusy = mode === 'busy'
    this.#stall = Promise.withResolvers()
  }

  /** When it has said its first words and stalls. */
  get stalled(): Promise<void> {
    return this.#stall.promise
  }

  get url() {
    return `${this.#isSecure ? 'https' : 'http'}://127.0.0.1:${this.#port}`
  }

  /** Requests and sockets that the other side has not closed. */
  get open() {
    return this.#open
  }

  /** As vendors do with connections that nobody has asked anything on for a while. */
  closeIdle() {
    this.#server.closeIdleConnections()
  }

  async stop() {
    for (const socket of this.#sockets.clients) socket.terminate()
    for (const socket of this.#unopened) socket.destroy()
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #see(request: IncomingMessage, body: Buffer): Seen {
    this.#open += 1
    const url = new URL(`http://fake${request.url ?? '/'}`) // some clients begin a path with two slashes
    const seen = { method: request.method ?? 'GET', url, headers: request.headers, body }
    this.seen.push(seen)
    return seen
  }

  async #answer(request: IncomingMessage, response: ServerResponse) {
    const whole = await wholeOf(request)
    if (!whole) return
    const seen = this.#see(request, whole)
    response.once('close', () => (this.#open -= 1))
    if (this.mode === 'hang') return
    const status = this.mode === 'refuse' ? 400 : this.#takeStatus()
    if (status !== undefined) {
      const { headers, body } = this.#refusal(status)
      response.writeHead(status, headers)
      response.end(body)
      return
    }
    try {
      await this.#wire.http?.(seen, httpAnswer(response, this.mode, this.#stall.resolve))
    } catch (error) {
      response.destroy() // a client that asked wrongly would wait for its answer
      throw error
    }
  }

  #refusal(status: number): { headers: Record<string, string>; body: string } {
    const { busy = { headers: shortWait } } = this.#wire
    const told: NonNullable<Wire['busy']> =
      status === 429 ? busy : status === 529 ? { headers: shortWait } : {}
    const body = told.body?.(this.words) ?? this.#wire.refusal(this.words)
    const headers = { 'content-type': 'application/json', ...told.headers }
    return { headers, body: JSON.stringify(body) }
  }

  /** Of an answer without the vendor's own code. */
  #takeStatus(): number | undefined {
    if (this.mode === 'fault') return 500
    if (this.mode === 'overloaded') return 529
    if (!this.#isBusy) return undefined
    this.#isBusy = false
    return 429
  }

  #converse(socket: WebSocket, seen: Seen) {
    socket.on('error', () => {})
    const answer = socketAnswer(socket, this.mode, this.#stall.resolve)
    if (this.mode === 'refuse') this.#wire.socketRefusal?.(answer, this.words)
    else this.#wire.socket?.(answer, seen)
  }
}

/** With a certificate the wire is https. */
export async function startWireFake(wire: Wire, certificate?: WireCertificate): Promise<WireFake> {
  return new WireFake(wire, certificate).start()
}

/** Undefined if the other side broke off before its end. */
async function wholeOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const pieces: Buffer[] = []
  try {
    for await (const piece of request.on('error', () => {})) pieces.push(piece as Buffer)
  } catch {
    return undefined
  }
  return Buffer.concat(pieces)
}

const shortWait = { 'retry-after-ms': '20' }

function handshakeAnswer(
  status: number,
  { headers, body }: { headers: Record<string, string>; body: string },
): string {
  const all = { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Overloaded'}`, ...lines, '', body].join('\r\n')
}

function httpAnswer(response: ServerResponse, mode: Mode, stalls: () => void): HttpAnswer {
  const write = (data: string | Uint8Array) =>
    new Promise<void>((resolve) => {
      if (response.destroyed) return resolve()
      response.once('close', resolve)
      response.write(data, () => {
        response.off('close', resolve)
        resolve()
      })
    })
  const answer: HttpAnswer = {
    start: (headers, status = 200) => void response.writeHead(status, headers),
    async piece(data) {
      const bytes = Buffer.from(data)
      await write(mode === 'garbage' ? randomBytes(bytes.length) : bytes)
      if (mode === 'flood') while (!response.destroyed) await write(bytes)
      if (mode === 'break') response.destroy()
      if (mode !== 'stall') return
      stalls()
      await new Promise((resolve) => response.once('close', resolve))
    },
    end: () => void response.end(),
    async json(body, status) {
      answer.start({ 'content-type': 'application/json' }, status)
      await answer.piece(JSON.stringify(body))
      answer.end()
    },
  }
  return answer
}

function socketAnswer(socket: WebSocket, mode: Mode, stalls: () => void): SocketAnswer {
  const flood = (frame: string | Uint8Array) => {
    if (socket.readyState !== socket.OPEN) return
    socket.send(frame, () => setImmediate(flood, frame))
  }
  let isStalled = false
  return {
    send(data) {
      if (socket.readyState !== socket.OPEN || isStalled) return
      isStalled = mode === 'stall'
      if (isStalled) stalls()
      const frame = typeof data === 'string' || data instanceof Uint8Array ? data : JSON.stringify(data)
      if (mode === 'garbage') {
        socket.send(randomBytes(64))
        socket.send(`{"unfinished": ${randomBytes(16).toString('hex')}`)
      } else socket.send(frame)
      if (mode === 'break') socket.terminate()
      if (mode === 'flood') flood(frame)
    },
    onFrame: (take) =>
      void socket.on('message', (data: Buffer, isBinary) => take(isBinary ? data : data.toString('utf8'))),
    close: (code = 1000, reason = '') => void (isStalled || socket.close(code, reason)),
  }
}
