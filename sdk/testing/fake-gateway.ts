import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TestContext } from 'node:test'
import { WebSocketServer, type WebSocket } from 'ws'

/** A frame as it came; tests read fields of frames whose shape they are there to prove. */
// oxlint-disable-next-line typescript/no-explicit-any
export type CameFrame = any

interface Refusal {
  status: number
  detail: string
}

/** The gateway's side of a socket, in the hands of a test. */
export class FakeGateway {
  readonly frames: CameFrame[] = []
  readonly upgrades: { url: string; headers: IncomingMessage['headers'] }[] = []
  /** The answer to a connection attempt, in place of a socket. */
  refusal: Refusal | undefined
  /** What it does with a frame; the usual gateway takes every registration and result. */
  answer: (frame: CameFrame) => object | undefined = taken
  /** Told of each socket that opens. */
  greet: (socket: WebSocket) => void = () => {}
  port = 0
  readonly #sockets = new Set<WebSocket>()
  readonly #upgrades = new WebSocketServer({ noServer: true })
  #server: Server | undefined

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  get isConnected(): boolean {
    return this.#sockets.size > 0
  }

  async start(port = 0): Promise<void> {
    const server = createServer((_request, response) => response.writeHead(404).end('{}'))
    server.on('upgrade', (request, stream, head) => this.take(request, stream, head))
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    this.port = (server.address() as AddressInfo).port
    this.#server = server
  }

  /** Takes over a request to become a socket, also one that came to another server. */
  take(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    this.upgrades.push({ url: request.url ?? '', headers: request.headers })
    if (!this.refusal) {
      this.#upgrades.handleUpgrade(request, stream, head, (socket) => this.#serve(socket))
      return
    }
    const body = JSON.stringify({ detail: this.refusal.detail })
    stream.end(`HTTP/1.1 ${this.refusal.status} Refused\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
  }

  /** Breaks every connection and listens no more, as a killed process would. */
  async stop(): Promise<void> {
    this.#server?.close()
    this.breakAll()
    if (this.#server?.listening) await once(this.#server, 'close')
  }

  breakAll(): void {
    for (const socket of this.#sockets) socket.terminate()
    this.#sockets.clear()
  }

  send(frame: object): void {
    for (const socket of this.#sockets) socket.send(JSON.stringify(frame))
  }

  /** Something happened in a call of the agent `desk`. */
  event(type: string, data: object, call = 'call_1', agent = 'desk'): void {
    this.send({ type, agent, call, data })
  }

  sent(type: string): CameFrame[] {
    return this.frames.filter((frame) => frame.type === type)
  }

  #serve(socket: WebSocket): void {
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
    socket.on('message', (data: Buffer) => {
      const frame: CameFrame = JSON.parse(data.toString())
      this.frames.push(frame)
      const answer = this.answer(frame)
      if (answer) socket.send(JSON.stringify(answer))
    })
    this.greet(socket)
  }
}

export function taken({ type, agent, call, id, number, extensionMs = 0 }: CameFrame): object | undefined {
  if (type === 'tool.result') return { type: 'tool.received', call, id }
  if (type === 'agent.register')
    return { type: 'agent.registered', agent, env: 'sandbox', fixed: [], lexicon_fixed: [] }
  return type === 'line.register' ? { type: 'ready', number, extensionMs } : undefined
}

/** A fake gateway for one test. */
export async function fakeGateway(t: TestContext): Promise<FakeGateway> {
  const gateway = new FakeGateway()
  await gateway.start()
  t.after(() => gateway.stop())
  return gateway
}
