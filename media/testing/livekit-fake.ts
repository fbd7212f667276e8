import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type JWTPayload, jwtVerify } from 'jose'
import { LiveKitDials } from './livekit-dials.ts'
import { Refusal, statusOf } from './livekit-refusals.ts'
import { LiveKitStore } from './livekit-store.ts'

export interface LiveKitRequest {
  service: string
  /** `CreateSIPInboundTrunk`, `DeleteRoom`, … */
  method: string
  body: Record<string, unknown>
  claims: JWTPayload
}

const writes = /^(?:Create|Update|Delete)SIP(?:InboundTrunk|Trunk|DispatchRule)$/

/**
 * A LiveKit server on loopback: its JSON wire, its grants, what it refuses, and what it keeps. If it would let
 * every caller in by an emptied trunk or rule it says so in `problems`, which fail the test at the end.
 */
export class LiveKitFake {
  readonly key = 'APIfake'
  readonly secret = 'a-secret-of-the-media-server-that-is-long-enough'
  readonly store = new LiveKitStore()
  readonly dials = new LiveKitDials()
  readonly requests: LiveKitRequest[] = []
  readonly #http: Server
  readonly #sockets = new Set<Socket>()
  readonly #refusals: { method: string; refusal: Refusal }[] = []
  readonly #hanging = new Set<string>()
  #url = ''
  #writesLeft = Infinity
  #isLastAnswered = true
  #isDead = false

  private constructor() {
    this.#http = createServer((request, reply) => void this.#answer(request, reply))
    this.#http.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
    })
  }

  static async start(): Promise<LiveKitFake> {
    const fake = new LiveKitFake()
    await new Promise<void>((resolve) => fake.#http.listen(0, '127.0.0.1', resolve))
    fake.#url = `http://127.0.0.1:${(fake.#http.address() as AddressInfo).port}`
    return fake
  }

  get address() {
    return { url: this.#url, key: this.key, secret: this.secret }
  }

  get writes(): LiveKitRequest[] {
    return this.requests.filter(({ method }) => writes.test(method))
  }

  /** What was asked of one method, oldest first. */
  asked = (method: string) => this.requests.filter((request) => request.method === method)

  /** The next request of this method is refused. */
  refuse(method: string, code: string, sentence: string, meta?: Record<string, string>) {
    this.#refusals.push({ method, refusal: new Refusal(code, sentence, meta) })
  }

  /** Requests of this method are never answered. */
  hang = (method: string) => this.#hanging.add(method)

  /** Dies with the n-th write from now done; its answer arrives or is lost. */
  dieAfter(count: number, isLastAnswered: boolean) {
    this.#writesLeft = count
    this.#isLastAnswered = isLastAnswered
    this.#isDead = count === 0
  }

  revive() {
    this.#writesLeft = Infinity
    this.#isDead = false
  }

  get isDead() {
    return this.#isDead
  }

  /** Fails if a write ever let every caller in. */
  async stop() {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#http.close(resolve))
    if (this.store.problems.length > 0) throw new Error(this.store.problems.join('; '))
  }

  async #answer(request: IncomingMessage, reply: ServerResponse) {
    const [, service = '', method = ''] = /^\/twirp\/livekit\.(\w+)\/(\w+)$/.exec(request.url ?? '') ?? []
    try {
      if (this.#isDead) throw new Dead()
      const claims = await this.#claims(request.headers.authorization)
      const body = await readBody(request)
      this.requests.push({ service, method, body, claims })
      if (this.#hanging.has(method)) return
      const refusal = this.#refusals.findIndex((one) => one.method === method)
      if (refusal !== -1) throw this.#refusals.splice(refusal, 1)[0]?.refusal
      const answer = await this.#run(service, method, body, claims)
      if (writes.test(method) && this.#dies()) throw new Dead()
      send(reply, 200, answer)
    } catch (error) {
      if (error instanceof Dead) request.socket.destroy()
      else if (error instanceof Unsigned) reply.writeHead(401).end(error.message)
      else if (error instanceof Refusal) {
        const { code, message, meta } = error
        send(reply, statusOf(code), { code, msg: message, ...(meta && { meta }) })
      } else send(reply, 500, { code: 'internal', msg: String(error) })
    }
  }

  #dies(): boolean {
    this.#writesLeft -= 1
    if (this.#writesLeft > 0) return false
    this.#isDead = true
    return !this.#isLastAnswered
  }

  async #claims(header = ''): Promise<JWTPayload> {
    const token = header.replace(/^Bearer /, '')
    try {
      const verified = await jwtVerify(token, new TextEncoder().encode(this.secret), {
        issuer: this.key,
        algorithms: ['HS256'],
      })
      return verified.payload
    } catch (error) {
      throw new Unsigned(`invalid token: ${token}, error: ${String(error)}`) // as the real one says it
    }
  }

  #run(service: string, method: string, body: Record<string, unknown>, claims: JWTPayload): unknown {
    const sip = (claims['sip'] ?? {}) as { admin?: boolean; call?: boolean }
    const video = (claims['video'] ?? {}) as {
      roomAdmin?: boolean
      roomCreate?: boolean
      roomList?: boolean
      room?: string
    }
    const need = (isGranted: boolean | undefined) => {
      if (!isGranted) throw new Refusal('unauthenticated', 'permissions denied')
    }
    const room = typeof body['room'] === 'string' ? body['room'] : body['roomName']
    const needRoom = () => need(video.roomAdmin && video.room === room)
    switch (`${service}/${method}`) {
      case 'AgentDispatchService/CreateDispatch':
        needRoom()
        return this.dials.dispatch(body)
      case 'SIP/CreateSIPParticipant':
        need(sip.call)
        return this.dials.dial(body)
      case 'SIP/TransferSIPParticipant':
        need(sip.call)
        needRoom()
        return this.dials.transfer(body)
      case 'RoomService/ListParticipants':
        needRoom()
        return this.dials.participants(body)
      case 'RoomService/ListRooms':
        need(video.roomList)
        return { rooms: [...this.dials.rooms.keys()].map((name) => ({ name })) }
      case 'RoomService/DeleteRoom':
        need(video.roomCreate)
        return this.dials.deleteRoom(body)
      default:
        if (service !== 'SIP')
          throw new Refusal('bad_route', `no handler for path /twirp/livekit.${service}/${method}`)
        need(sip.admin)
        return this.store.run(method, body)
    }
  }
}

class Unsigned extends Error {}
class Dead extends Error {}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>
}

function send(reply: ServerResponse, status: number, answer: unknown) {
  reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
}
