import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { isRequest, type SipMessage, type SipRequest, type SipResponse } from '../src/sip/message.ts'
import { parseMessage } from '../src/sip/parser.ts'
import { type IncomingInvite, type SipFence, type SipOptions, SipServer } from '../src/sip/server.ts'

export const offerOf = (port: number, more: readonly string[] = [], address = '127.0.0.1') =>
  `${['v=0', `o=- 1 1 IN IP4 ${address}`, 's=-', `c=IN IP4 ${address}`, 't=0 0', `m=audio ${port} RTP/AVP 0 8 101`, 'a=rtpmap:101 telephone-event/8000', ...more].join('\r\n')}\r\n`

export interface Written {
  method: string
  to: string
  headers?: Record<string, string>
  body?: string
  type?: string
}

export interface Answered {
  headers?: readonly string[]
  body?: string
  tag?: string
}

/** A phone, or an attacker: it says exactly what a test has it say, and keeps what it receives. */
export class SipPeer {
  readonly socket: Socket
  readonly received: SipMessage[] = []
  /** Whether it agrees to every BYE by itself. */
  isObliging = false
  readonly #server: { port: number }
  #waiting: (() => void)[] = []

  private constructor(socket: Socket, server: { port: number }) {
    this.socket = socket
    this.#server = server
    socket.on('message', (bytes) => {
      const message = parseMessage(bytes)
      this.received.push(message)
      if (this.isObliging && isRequest(message) && message.method === 'BYE') this.answer(message, '200 OK')
      for (const wake of this.#waiting.splice(0)) wake()
    })
  }

  static async open(server: { port: number }, address = '127.0.0.1'): Promise<SipPeer> {
    const socket = createSocket('udp4')
    socket.bind(0, address)
    await once(socket, 'listening')
    return new SipPeer(socket, server)
  }

  get port(): number {
    return this.socket.address().port
  }

  get address(): string {
    return this.socket.address().address
  }

  send(bytes: string | Buffer): void {
    this.socket.send(bytes, this.#server.port, '127.0.0.1')
  }

  /** A request as bytes; headers given here replace the usual ones. */
  write({ method, to, headers = {}, body = '', type = 'application/sdp' }: Written): string {
    const all: Record<string, string> = {
      Via: `SIP/2.0/UDP ${this.address}:${this.port};rport;branch=z9hG4bK${Math.random()}`,
      'Max-Forwards': '70',
      From: `<sip:+34600111222@${this.address}>;tag=peer`,
      To: `<${to}>`,
      'Call-ID': `call-${this.port}`,
      CSeq: `1 ${method}`,
      Contact: `<sip:peer@${this.address}:${this.port}>`,
      ...(body !== '' && { 'Content-Type': type }),
      ...headers,
      'Content-Length': String(Buffer.byteLength(body)),
    }
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
    return [`${method} ${to} SIP/2.0`, ...lines, '', body].join('\r\n')
  }

  request(written: Written): void {
    this.send(this.write(written))
  }

  /** Answers a request that came. */
  answer(
    request: SipRequest,
    status: string,
    { headers = [], body = '', tag = 'callee' }: Answered = {},
  ): void {
    const kept = request.headers.filter(([name]) => ['via', 'from', 'to', 'call-id', 'cseq'].includes(name))
    const copied = kept.map(([name, value]) =>
      name === 'to' && !request.to.tag ? `to: ${value};tag=${tag}` : `${name}: ${value}`,
    )
    const typed = body === '' ? [] : ['Content-Type: application/sdp']
    const length = `Content-Length: ${Buffer.byteLength(body)}`
    this.send([`SIP/2.0 ${status}`, ...copied, ...headers, ...typed, length, '', body].join('\r\n'))
  }

  /** The first message that fits, which came or will. */
  async find<T extends SipMessage>(fits: (message: SipMessage) => message is T): Promise<T>
  async find(fits: (message: SipMessage) => boolean): Promise<SipMessage>
  async find(fits: (message: SipMessage) => boolean): Promise<SipMessage> {
    for (;;) {
      const found = this.received.find(fits)
      if (found) return found
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  status(...wanted: number[]): Promise<SipResponse> {
    return this.find(
      (message): message is SipResponse => 'status' in message && wanted.includes(message.status),
    )
  }

  asked(method: string): Promise<SipRequest> {
    return this.find((message): message is SipRequest => isRequest(message) && message.method === method)
  }

  /** Resolves once the server has worked through whatever was sent before; it must admit this peer. */
  async settle(): Promise<void> {
    const callId = `settle-${Math.random()}`
    const ask = () =>
      this.request({ method: 'OPTIONS', to: 'sip:x@127.0.0.1', headers: { 'Call-ID': callId } })
    const again = setInterval(ask, 200)
    ask()
    await this.find((message) => message.callId === callId)
    clearInterval(again)
  }

  /** Resolves once whatever the server sent before has arrived here. */
  async caughtUp(): Promise<void> {
    const callId = `caught-up-${Math.random()}`
    const own = this.write({ method: 'OPTIONS', to: 'sip:x@127.0.0.1', headers: { 'Call-ID': callId } })
    this.socket.send(own, this.port, this.address)
    const found = await this.find((message) => message.callId === callId)
    this.received.splice(this.received.indexOf(found), 1)
  }

  /** What it heard so far: statuses, and methods of requests. */
  get heard(): (number | string)[] {
    return this.received.map((message) => (isRequest(message) ? message.method : message.status))
  }

  close(): void {
    this.socket.close()
  }
}

export const openFence: SipFence = {
  name: 'acme/production/apicarrier',
  networks: ['127.0.0.0/8'],
  numbers: ['+34911222333'],
  pair: null,
  fleet: 'main',
}

export interface ServerUnderTest {
  server: SipServer
  invites: IncomingInvite[]
  /** Media ports that are given out. */
  ports: Set<number>
  /** What went wrong inside. */
  sentences: string[]
}

/** A server on loopback; its incoming calls are kept until a test answers them. */
export async function startSip(
  options: Partial<SipOptions> = {},
  onInvite: (invite: IncomingInvite) => void = () => {},
): Promise<ServerUnderTest> {
  const invites: IncomingInvite[] = []
  const ports = new Set<number>()
  const sentences: string[] = []
  let next = 40_000
  const server = await SipServer.start({
    host: '127.0.0.1',
    port: 0,
    publicAddress: '127.0.0.1',
    fences: () => [],
    isLocalAllowed: false,
    allocatePort: () => {
      next += 2
      ports.add(next)
      return next
    },
    releasePort: (port) => ports.delete(port),
    onInvite: (invite) => {
      invites.push(invite)
      onInvite(invite)
    },
    log: (sentence) => sentences.push(sentence),
    ...options,
  })
  return { server, invites, ports, sentences }
}

export const trunkTo = (
  port: number,
  transport: 'udp' | 'tcp' | 'tls' = 'udp',
  pair = { username: '', password: '' },
) => ({
  hostname: `127.0.0.1:${port}`,
  transport,
  auth_username: pair.username,
  auth_password: pair.password,
})

const mostWaitMs = 60_000

/** Resolves once it is so; fails if it is not so within a minute. */
export async function until(isSo: () => boolean): Promise<void> {
  const latestMs = performance.now() + mostWaitMs
  while (!isSo()) {
    if (performance.now() > latestMs) throw new Error(`not so within a minute: ${isSo.toString()}`)
    await setTimeout(2)
  }
}

export const never = new AbortController().signal
