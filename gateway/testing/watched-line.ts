import { once } from 'node:events'
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import { WebSocket, WebSocketServer } from 'ws'

/** A frame as it went by; tests read fields of frames whose shape they are there to prove. */
// oxlint-disable-next-line typescript/no-explicit-any
type WatchedFrame = any

export type Direction = 'to gateway' | 'to client'

interface Seen {
  path: string
  direction: Direction
  frame: WatchedFrame
}

interface Pair {
  near: WebSocket
  far: WebSocket
}

/** A way to a gateway that sees every frame of every socket, can lose frames, and can be cut. */
export class WatchedLine implements AsyncDisposable {
  readonly seen: Seen[] = []
  /** When each attempt to open a socket came, in epoch milliseconds. */
  readonly attempts: number[] = []
  /** The answer to attempts, in place of a socket. */
  refusal: { status: number; detail: string } | undefined
  /** Frames that it loses. */
  loses: (direction: Direction, frame: WatchedFrame) => boolean = () => false
  readonly #to: URL
  readonly #pairs = new Set<Pair>()
  readonly #upgrades = new WebSocketServer({ noServer: true, maxPayload: 100 * 1024 * 1024 })
  readonly #server = createServer((request, response) => this.#forward(request, response))

  private constructor(to: string) {
    this.#to = new URL(to)
    this.#server.on('upgrade', (request, stream, head) => this.#upgrade(request, stream, head))
  }

  static async to(url: string): Promise<WatchedLine> {
    const line = new WatchedLine(url)
    line.#server.listen(0, '127.0.0.1')
    await once(line.#server, 'listening')
    return line
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get sockets(): number {
    return this.#pairs.size
  }

  /** The frames of a type that went in a direction. */
  frames(direction: Direction, type: string): WatchedFrame[] {
    return this.seen
      .filter((each) => each.direction === direction && each.frame.type === type)
      .map(({ frame }): WatchedFrame => frame)
  }

  /** Ends every connection without a goodbye, as a network would. */
  cut() {
    this.#server.closeAllConnections()
    for (const { near, far } of this.#pairs) {
      near.terminate()
      far.terminate()
    }
    this.#pairs.clear()
  }

  /** To every client, as if the gateway had sent it. */
  send(frame: object | string) {
    for (const { near } of this.#pairs) near.send(typeof frame === 'string' ? frame : JSON.stringify(frame))
  }

  async [Symbol.asyncDispose]() {
    this.#server.close()
    this.cut()
    if (this.#server.listening) await once(this.#server, 'close')
  }

  #forward(near: IncomingMessage, response: ServerResponse) {
    const { hostname, port } = this.#to
    const { method = 'GET', url = '/', headers } = near
    const far = ask({ hostname, port, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    far.on('error', () => response.destroy())
    near.pipe(far)
  }

  #upgrade(request: IncomingMessage, stream: Duplex, head: Buffer) {
    this.attempts.push(Date.now())
    stream.on('error', () => {})
    if (this.refusal)
      return refuse(stream, this.refusal.status, JSON.stringify({ detail: this.refusal.detail }))
    const { url = '/', headers } = request
    const { authorization, 'svc-env': env } = headers
    const far = new WebSocket(`ws://${this.#to.host}${url}`, {
      headers: { ...(authorization && { authorization }), ...(env && { 'svc-env': env }) },
    })
    far.on('error', () => stream.destroy())
    far.once('unexpected-response', (_request, answer) => {
      void textOf(answer).then((text) => refuse(stream, answer.statusCode ?? 502, text))
    })
    const early: Buffer[] = []
    const keep = (data: Buffer) => void early.push(data)
    far.on('message', keep)
    far.once('open', () =>
      this.#upgrades.handleUpgrade(request, stream, head, (near) => {
        far.off('message', keep)
        this.#join(url.split('?', 1)[0] ?? '', { near, far })
        for (const data of early) far.emit('message', data, false)
      }),
    )
  }

  #join(path: string, pair: Pair) {
    const { near, far } = pair
    this.#pairs.add(pair)
    const pass = (from: WebSocket, to: WebSocket, direction: Direction) => {
      from.on('message', (data: Buffer) => {
        const text = data.toString()
        const frame: WatchedFrame = JSON.parse(text)
        this.seen.push({ path, direction, frame })
        if (!this.loses(direction, frame)) to.send(text)
      })
      from.on('error', () => {})
      from.on('close', (code) => {
        this.#pairs.delete(pair)
        if (code >= 1000 && code < 1004) to.close(code)
        else to.terminate()
      })
    }
    pass(near, far, 'to gateway')
    pass(far, near, 'to client')
  }
}

function refuse(stream: Duplex, status: number, body: string) {
  const head = `HTTP/1.1 ${status} Refused\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n`
  stream.end(head + body)
}
