import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'

/** How the fake behaves from the next request on. */
export type Mode = 'answer' | 'refuse' | 'fault' | 'hang' | 'break' | 'garbage' | 'flood'

/** How one vendor speaks when all is well, and how it says no. */
export interface Wire {
  http?(request: Seen, answer: HttpAnswer): void | Promise<void>
  socket?(socket: SocketAnswer, request: Seen): void
  /** The body of a refusal with these words, as this vendor writes it. */
  refusal(words: string): object
  /** If the vendor accepts the handshake and refuses on the socket. */
  socketRefusal?(socket: SocketAnswer, words: string): void
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
  start(headers: Record<string, string>): void
  piece(data: string | Uint8Array): Promise<void>
  end(): void
  json(body: unknown): Promise<void>
}

export interface SocketAnswer {
  send(data: string | object | Uint8Array): void
  onFrame(take: (frame: string | Buffer) => void): void
  close(code?: number, reason?: string): void
}

/** A vendor's wire on loopback that can answer, refuse, hang, break, flood and send garbage. */
export class WireFake {
  mode: Mode = 'answer'
  /** What a refusal says. */
  words = 'the fake says no'
  readonly seen: Seen[] = []
  #open = 0
  readonly #wire: Wire
  readonly #server = createServer((request, response) => void this.#answer(request, response))
  readonly #sockets = new WebSocketServer({ noServer: true })
  readonly #unopened = new Set<Duplex>()

  constructor(wire: Wire) {
    this.#wire = wire
    this.#server.on('upgrade', (request, socket, head) => {
      const seen = this.#see(request, Buffer.alloc(0))
      socket.on('error', () => {})
      socket.once('close', () => (this.#open -= 1))
      const isRefused = this.mode === 'refuse' && !this.#wire.socketRefusal
      if (this.mode !== 'hang' && this.mode !== 'fault' && !isRefused) {
        this.#sockets.handleUpgrade(request, socket, head, (opened) => this.#converse(opened, seen))
        return
      }
      this.#unopened.add(socket)
      socket.resume().once('end', () => socket.destroy()) // unread, it would never see the other side go
      if (this.mode !== 'hang') socket.write(handshakeAnswer(this.mode, this.#wire.refusal(this.words)))
    })
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return this
  }

  get #port() {
    return (this.#server.address() as AddressInfo).port
  }

  get url() {
    return `http://127.0.0.1:${this.#port}`
  }

  /** Requests and sockets that the other side has not closed. */
  get open() {
    return this.#open
  }

  async stop() {
    for (const socket of this.#sockets.clients) socket.terminate()
    for (const socket of this.#unopened) socket.destroy()
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #see(request: IncomingMessage, body: Buffer): Seen {
    this.#open += 1
    const url = new URL(request.url ?? '/', 'http://fake')
    const seen = { method: request.method ?? 'GET', url, headers: request.headers, body }
    this.seen.push(seen)
    return seen
  }

  async #answer(request: IncomingMessage, response: ServerResponse) {
    const pieces: Buffer[] = []
    for await (const piece of request.on('error', () => {})) pieces.push(piece as Buffer)
    const seen = this.#see(request, Buffer.concat(pieces))
    response.once('close', () => (this.#open -= 1))
    if (this.mode === 'hang') return
    if (this.mode === 'refuse' || this.mode === 'fault') {
      response.writeHead(this.mode === 'refuse' ? 400 : 500, { 'content-type': 'application/json' })
      response.end(JSON.stringify(this.#wire.refusal(this.words)))
    } else await this.#wire.http?.(seen, httpAnswer(response, this.mode))
  }

  #converse(socket: WebSocket, seen: Seen) {
    socket.on('error', () => {})
    const answer = socketAnswer(socket, this.mode)
    if (this.mode === 'refuse') this.#wire.socketRefusal?.(answer, this.words)
    else this.#wire.socket?.(answer, seen)
  }
}

export async function startWireFake(wire: Wire): Promise<WireFake> {
  return new WireFake(wire).start()
}

function handshakeAnswer(mode: Mode, refusal: object): string {
  const body = JSON.stringify(refusal)
  const status = mode === 'fault' ? '500 Internal Server Error' : '400 Bad Request'
  return `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
}

function httpAnswer(response: ServerResponse, mode: Mode): HttpAnswer {
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
    start: (headers) => void response.writeHead(200, headers),
    async piece(data) {
      const bytes = Buffer.from(data)
      await write(mode === 'garbage' ? randomBytes(bytes.length) : bytes)
      if (mode === 'flood') while (!response.destroyed) await write(bytes)
      if (mode === 'break') response.destroy()
    },
    end: () => void response.end(),
    async json(body) {
      answer.start({ 'content-type': 'application/json' })
      await answer.piece(JSON.stringify(body))
      answer.end()
    },
  }
  return answer
}

function socketAnswer(socket: WebSocket, mode: Mode): SocketAnswer {
  const flood = (frame: string | Uint8Array) => {
    if (socket.readyState !== socket.OPEN) return
    socket.send(frame, () => setImmediate(flood, frame))
  }
  return {
    send(data) {
      if (socket.readyState !== socket.OPEN) return
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
    close: (code = 1000, reason = '') => socket.close(code, reason),
  }
}
