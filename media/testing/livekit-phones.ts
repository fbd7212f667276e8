import {
  createServer,
  request as ask,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { LiveKitAddress } from '../src/livekit/server.ts'
import { phoneToken, RoomPerson } from './livekit-person.ts'
import { Refusal, sipRefusal, statusOf } from './livekit-refusals.ts'

interface Asked {
  roomName: string
  participantIdentity: string
  /** In a dial. */
  sipCallTo?: string
  maxCallDuration?: string
  /** In a transfer. */
  transferTo?: string
}

/** What a number does when it is dialled or sent to: it is not answered, or refused with a SIP status. */
export type PhoneWay = 'ring' | 'no SIP service' | number

/**
 * A real LiveKit server with a stand-in for its SIP service, which cannot be had without Redis: those who are dialled
 * answer in the room at once, unless a test sets another way.
 */
export class LiveKitPhones {
  /** Who answered, by the number that was dialled. */
  readonly answered = new Map<string, RoomPerson>()
  /** Who is rung and has not answered; in the room they are already. */
  readonly ringing = new Map<string, RoomPerson>()
  readonly dials: Asked[] = []
  readonly transfers: string[] = []
  readonly #ways = new Map<string, PhoneWay>()
  readonly #real: LiveKitAddress
  readonly #http: Server
  readonly #sockets = new Set<Duplex>()

  private constructor(real: LiveKitAddress) {
    this.#real = real
    this.#http = createServer((request, reply) => void this.#answer(request, reply))
    this.#http.on('upgrade', (request, socket, head) => this.#pipe(request, socket as Socket, head))
  }

  static async start(real: LiveKitAddress): Promise<LiveKitPhones> {
    const phones = new LiveKitPhones(real)
    await new Promise<void>((resolve) => phones.#http.listen(0, '127.0.0.1', resolve))
    return phones
  }

  get address(): LiveKitAddress {
    const { port } = this.#http.address() as AddressInfo
    return { ...this.#real, url: `http://127.0.0.1:${port}` }
  }

  set(number: string, way: PhoneWay): void {
    this.#ways.set(number, way)
  }

  async stop(): Promise<void> {
    for (const person of [...this.answered.values(), ...this.ringing.values()]) await person.leave()
    for (const socket of this.#sockets) socket.destroy()
    this.#http.closeAllConnections()
    await new Promise((resolve) => this.#http.close(resolve))
  }

  async #answer(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray())
    const method = /^\/twirp\/livekit\.SIP\/(\w+)$/.exec(request.url ?? '')?.[1]
    if (method === undefined) return this.#forward(request, body, reply)
    const asked = JSON.parse(body.toString()) as Asked
    const way = this.#ways.get(asked.sipCallTo ?? asked.transferTo?.replace('tel:', '') ?? '')
    if (way === 'no SIP service') return this.#forward(request, body, reply)
    try {
      if (typeof way === 'number') throw sipRefusal(way)
      if (method === 'CreateSIPParticipant') await this.#dial(asked, way === 'ring')
      if (method === 'TransferSIPParticipant') this.transfers.push(asked.transferTo ?? '')
      reply.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const { code, message: msg, meta } = error
      const told = JSON.stringify({ code, msg, ...(meta && { meta }) })
      reply.writeHead(statusOf(code), { 'content-type': 'application/json' }).end(told)
    }
  }

  async #dial(asked: Asked, isRinging: boolean): Promise<void> {
    const { sipCallTo = '', roomName, participantIdentity } = asked
    this.dials.push(asked)
    const token = phoneToken(this.#real, roomName, participantIdentity, { 'sip.phoneNumber': sipCallTo })
    const person = await RoomPerson.enter(this.#real.url, await token.toJwt())
    if (!isRinging) return void this.answered.set(sipCallTo, person)
    this.ringing.set(sipCallTo, person)
    await person.left
    throw new Refusal('canceled', 'the call was given up')
  }

  #forward({ url, method, headers }: IncomingMessage, body: Buffer, reply: ServerResponse): void {
    const passed = ask(new URL(url ?? '/', this.#real.url), { method, headers }, (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(reply)
    })
    passed.on('error', () => reply.destroy())
    passed.end(body)
  }

  #pipe({ url, headers }: IncomingMessage, socket: Socket, head: Buffer): void {
    const { hostname, port } = new URL(this.#real.url)
    const real = connect(Number(port), hostname, () => {
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`)
      real.write(`GET ${url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
      real.write(head)
      real.pipe(socket).pipe(real)
    })
    for (const one of [real, socket]) {
      this.#sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => [real, socket].forEach((other) => other.destroy()))
    }
  }
}
