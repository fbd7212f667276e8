import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import {
  AvailabilityRequest,
  Job,
  JobAssignment,
  JobStatus,
  JobTermination,
  RegisterWorkerResponse,
  Room,
  ServerMessage,
  WorkerMessage,
  WorkerPong,
} from '@livekit/protocol'
import { jwtVerify } from 'jose'

export { JobStatus }

const acceptSalt = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

type Case = Exclude<WorkerMessage['message']['case'], undefined>
type ValueOf<Name extends Case> = Extract<WorkerMessage['message'], { case: Name }>['value']

/** The socket of a LiveKit server at which workers register, on loopback: its protobuf over its WebSocket. */
export class LiveKitAgentSocket {
  readonly key = 'APIfake'
  readonly secret = 'a-secret-of-the-media-server-that-is-long-enough'
  readonly received: WorkerMessage['message'][] = []
  readonly #http: Server
  readonly #sockets = new Set<Duplex>()
  #wake: (() => void)[] = []
  isAnswering = true

  private constructor() {
    this.#http = createServer((_request, reply) => reply.writeHead(404).end())
    this.#http.on('upgrade', (request, socket) => void this.#upgrade(request, socket))
  }

  static async start(): Promise<LiveKitAgentSocket> {
    const fake = new LiveKitAgentSocket()
    await new Promise<void>((resolve) => fake.#http.listen(0, '127.0.0.1', resolve))
    return fake
  }

  get address() {
    const { port } = this.#http.address() as AddressInfo
    return { url: `http://127.0.0.1:${port}`, key: this.key, secret: this.secret }
  }

  offer(id: string, metadata = `about ${id}`): void {
    this.#send({ case: 'availability', value: new AvailabilityRequest({ job: jobOf(id, metadata) }) })
  }

  assign(id: string, metadata = `about ${id}`): void {
    const value = new JobAssignment({ job: jobOf(id, metadata), token: `token-${id}` })
    this.#send({ case: 'assignment', value })
  }

  terminate(id: string): void {
    this.#send({ case: 'termination', value: new JobTermination({ jobId: id }) })
  }

  /** Every worker's connection breaks. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  /** What workers said of one kind, oldest first. */
  said<Name extends Case>(name: Name): ValueOf<Name>[] {
    return this.received.flatMap((message) => (message.case === name ? [message.value as ValueOf<Name>] : []))
  }

  async until(isThere: () => boolean): Promise<void> {
    while (!isThere()) await new Promise<void>((resolve) => this.#wake.push(resolve))
  }

  async stop(): Promise<void> {
    this.cut()
    await new Promise((resolve) => this.#http.close(resolve))
  }

  /** Bytes that are no message of the protocol. */
  sendBytes(payload: Uint8Array): void {
    const head =
      payload.length < 126 ? [0x82, payload.length] : [0x82, 126, payload.length >> 8, payload.length & 0xff]
    for (const socket of this.#sockets) socket.write(Buffer.concat([Buffer.from(head), payload]))
  }

  async #upgrade(request: IncomingMessage, socket: Duplex): Promise<void> {
    socket.on('error', () => {})
    const token = (request.headers.authorization ?? '').replace(/^Bearer /, '')
    const claims = await jwtVerify(token, new TextEncoder().encode(this.secret), { issuer: this.key }).catch(
      () => null,
    )
    const video = claims?.payload['video'] as { agent?: boolean } | undefined
    if (request.url !== '/agent' || !video?.agent) {
      socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n')
      return
    }
    const accept = createHash('sha1')
      .update(`${request.headers['sec-websocket-key']}${acceptSalt}`)
      .digest('base64')
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    )
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
    let waiting: Buffer = Buffer.alloc(0)
    socket.on('data', (bytes: Buffer) => {
      waiting = this.#read(Buffer.concat([waiting, bytes]), socket)
    })
  }

  /** What is left behind the last whole frame. */
  #read(bytes: Buffer, socket: Duplex): Buffer {
    for (let rest = bytes; ;) {
      if (rest.length < 6) return rest
      const short = (rest[1] ?? 0) & 0x7f
      const [length, begin] = short === 126 ? [rest.readUInt16BE(2), 8] : [short, 6]
      if (rest.length < begin + length) return rest
      const mask = rest.subarray(begin - 4, begin)
      const payload = rest.subarray(begin, begin + length).map((byte, at) => byte ^ (mask[at % 4] ?? 0))
      if (((rest[0] ?? 0) & 0x0f) === 8) socket.end(Buffer.from([0x88, 0]))
      else this.#take(payload)
      rest = rest.subarray(begin + length)
    }
  }

  #take(payload: Uint8Array): void {
    const { message } = WorkerMessage.fromBinary(payload)
    this.received.push(message)
    if (message.case === 'register' && this.isAnswering)
      this.#send({ case: 'register', value: new RegisterWorkerResponse({ workerId: 'AW_fake' }) })
    if (message.case === 'ping' && this.isAnswering)
      this.#send({ case: 'pong', value: new WorkerPong({ lastTimestamp: message.value.timestamp }) })
    for (const wake of this.#wake.splice(0)) wake()
  }

  #send(message: ServerMessage['message']): void {
    this.sendBytes(new ServerMessage({ message }).toBinary())
  }
}

const jobOf = (id: string, metadata: string) =>
  new Job({ id, room: new Room({ name: `room-${id}` }), metadata })
