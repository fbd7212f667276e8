import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, isIPv4, type Server, type Socket } from 'node:net'
import { plainAddress } from './gate.ts'
import { KeepAlive } from './keep-alive.ts'
import { Counts, type SipLimits, TokenBuckets } from './limits.ts'
import type { SipMessage } from './message.ts'
import { MalformedMessage, parseMessage } from './parser.ts'
import { type Flow, keyOf, openFlow, StreamFlow, type Target } from './flow.ts'
import type { ServerCertificate } from './server-certificate.ts'
import { TlsListener } from './tls-listener.ts'

export interface TransportOptions {
  host: string
  port: number
  transports: readonly ('udp' | 'tcp')[]
  /** No TLS is listened for without it. */
  tls?: { port: number; certificate: ServerCertificate }
  limits: Pick<SipLimits, 'connections' | 'connectionsOfSource' | 'handshakesPerS' | 'sources'>
  messageWithinMs: number
  keepAliveMs: number
}

export interface TransportListener {
  /** Asked before a byte is read. */
  isAdmitted(source: string): boolean
  /** Asked before a message is looked at; one too many is dropped. */
  isWithinRate(source: string): boolean
  onMessage(message: SipMessage, flow: Flow): void
  onMalformed(): void
  onRefused(): void
}

interface BoundSockets {
  port: number
  udp: UdpSocket | null
  tcp: Server | null
  tls: TlsListener | null
}

const connectWithinMs = 5_000
const longestKeptAliveMs = 15 * 60_000
const bindAttempts = 20

/** The sockets: datagrams and connections in, messages out. */
export class SipTransport {
  readonly port: number
  readonly #udp: UdpSocket | null
  readonly #tcp: Server | null
  readonly #tls: TlsListener | null
  readonly #options: TransportOptions
  readonly #listener: TransportListener
  readonly #flows = new Set<StreamFlow>()
  /** Those that more can be sent by, and those that are being opened. */
  readonly #standing = new Map<string, StreamFlow>()
  readonly #opening = new Map<string, Promise<StreamFlow>>()
  readonly #ofSource = new Counts()
  readonly #handshakes: TokenBuckets
  #isClosed = false
  #unsent = 0
  #onSent = () => {}

  private constructor(sockets: BoundSockets, options: TransportOptions, listener: TransportListener) {
    const { port, udp, tcp, tls } = sockets
    this.port = port
    this.#options = options
    this.#udp = udp
    this.#tcp = tcp
    this.#tls = tls
    this.#listener = listener
    this.#handshakes = new TokenBuckets(options.limits.handshakesPerS, options.limits.sources)
    udp?.on('message', (bytes, { address, port: from }) => this.#receive(bytes, plainAddress(address), from))
    // An undelivered message shows in the timers of its transaction.
    udp?.on('error', () => {})
    tcp?.on('connection', (socket) => this.#take(socket))
    tcp?.on('error', () => {})
    tls?.onConnection((socket) => this.#takeSecure(socket, tls))
    tls?.onSecure((socket) => this.#hear(new StreamFlow('tls', socket)))
  }

  static async open(options: TransportOptions, listener: TransportListener): Promise<SipTransport> {
    const { host, port, transports } = options
    for (let attempt = 1; ; attempt++) {
      const udp = transports.includes('udp') ? await bindUdp(host, port) : null
      try {
        const taken = udp?.address().port ?? port
        const tcp = transports.includes('tcp') ? await listenTcp(host, taken) : null
        const address = tcp?.address()
        const open = typeof address === 'object' && address ? address.port : taken
        const tls = await listenTls(options).catch((error: unknown) => {
          tcp?.close()
          throw error
        })
        return new SipTransport({ port: open, udp, tcp, tls }, options, listener)
      } catch (error) {
        udp?.close()
        // Any port will do, so one that is free for both is looked for.
        if (port !== 0 || attempt === bindAttempts) throw error
      }
    }
  }

  get connections(): number {
    return this.#flows.size + (this.#tls?.handshakes ?? 0)
  }

  /** Null if no TLS is listened for. */
  get tlsPort(): number | null {
    return this.#tls?.port ?? null
  }

  isStanding(target: Target): boolean {
    return this.#standing.has(keyOf(target))
  }

  /** The next request opens a connection of its own. */
  forget(target: Target): void {
    this.#standing.delete(keyOf(target))
  }

  /** How to send there; an open connection is used again. */
  async flowTo(target: Target, withinMs = connectWithinMs): Promise<Flow> {
    if (this.#isClosed) throw new Error('the sockets are closed')
    if (target.transport === 'udp') {
      if (!this.#udp) throw new Error('no UDP socket is open')
      return this.#udpFlow(target.address, target.port)
    }
    const key = keyOf(target)
    const standing = this.#standing.get(key)
    if (standing?.isOpen) return standing
    const opening = this.#opening.get(key) ?? this.#open(target, withinMs)
    this.#opening.set(key, opening)
    return opening.finally(() => this.#opening.delete(key))
  }

  async #open(target: Target, withinMs: number): Promise<StreamFlow> {
    const flow = await openFlow(target, withinMs)
    if (this.#isClosed) {
      flow.destroy()
      throw new Error('the sockets are closed')
    }
    this.#keep(flow, keyOf(target), new KeepAlive(flow, this.#options.keepAliveMs, longestKeptAliveMs))
    return flow
  }

  async close(): Promise<void> {
    this.#isClosed = true
    // A socket that closes forgets what it has not sent.
    if (this.#unsent > 0) await new Promise<void>((resolve) => (this.#onSent = resolve))
    for (const flow of this.#flows) flow.destroy()
    const udp = this.#udp
    const tcp = this.#tcp
    await Promise.all([
      udp && new Promise<void>((resolve) => udp.close(() => resolve())),
      tcp && new Promise<void>((resolve) => tcp.close(() => resolve())),
      this.#tls?.close(),
    ])
  }

  #receive(bytes: Buffer, address: string, port: number): void {
    if (port === 0) return // only a forged one comes from there, and nothing can be sent back
    if (!this.#listener.isAdmitted(address)) {
      this.#listener.onRefused()
      return
    }
    if (!this.#listener.isWithinRate(address)) return
    // Blank lines keep a mapping open, and ask for nothing.
    if (bytes.length <= 4 && bytes.toString('latin1').trim() === '') return
    const message = this.#parsed(bytes)
    if (message) this.#listener.onMessage(message, this.#udpFlow(address, port))
  }

  #parsed(bytes: Buffer): SipMessage | null {
    try {
      return parseMessage(bytes)
    } catch (error) {
      if (!(error instanceof MalformedMessage)) throw error
      this.#listener.onMalformed()
      return null
    }
  }

  #udpFlow(address: string, port: number): Flow {
    return {
      transport: 'udp',
      isReliable: false,
      isOpen: !this.#isClosed,
      address,
      port,
      localPort: this.port,
      name: '',
      failure: null,
      send: (bytes) => {
        if (this.#isClosed || !this.#udp) return
        this.#unsent++
        this.#udp.send(bytes, port, this.#written(address), () => {
          if (--this.#unsent === 0) this.#onSent()
        })
      },
      at: (other) => this.#udpFlow(address, other),
      onClosed: () => () => {},
    }
  }

  /** A socket of IPv6 writes an IPv4 address in its own way. */
  #written(address: string): string {
    return isIPv4(address) && this.#options.host.includes(':') ? `::ffff:${address}` : address
  }

  #take(socket: Socket): void {
    if (this.#isLetIn(socket)) this.#hear(new StreamFlow('tcp', socket))
    else socket.resetAndDestroy()
  }

  #takeSecure(socket: Socket, listener: TlsListener): void {
    if (!this.#isLetIn(socket)) socket.resetAndDestroy()
    else if (this.#handshakes.take(plainAddress(socket.remoteAddress ?? ''))) listener.shake(socket)
    else socket.resetAndDestroy()
  }

  #isLetIn(socket: Socket): boolean {
    socket.on('error', () => {})
    const source = plainAddress(socket.remoteAddress ?? '')
    const { limits } = this.#options
    if (!this.#listener.isAdmitted(source)) {
      this.#listener.onRefused()
      return false
    }
    if (this.connections >= limits.connections || this.#ofSource.of(source) >= limits.connectionsOfSource)
      return false
    this.#ofSource.add(source)
    socket.once('close', () => this.#ofSource.remove(source))
    return true
  }

  /** A connection that the far end opened. It serves requests of ours only over TCP: its name was not checked. */
  #hear(flow: StreamFlow): void {
    const { transport, address, port, socket } = flow
    this.#keep(flow, transport === 'tcp' ? keyOf({ transport, address, port, name: '' }) : null, null)
    const nothingSaid = setTimeout(() => socket.destroy(), this.#options.messageWithinMs)
    socket.once('data', () => clearTimeout(nothingSaid)).once('close', () => clearTimeout(nothingSaid))
  }

  #keep(flow: StreamFlow, key: string | null, keepAlive: KeepAlive | null): void {
    const { socket } = flow
    this.#flows.add(flow)
    if (key !== null) this.#standing.set(key, flow)
    socket.setTimeout(longestKeptAliveMs, () => socket.destroy())
    let cutShort: NodeJS.Timeout | undefined
    const settle = () => {
      clearTimeout(cutShort)
      cutShort = undefined
    }
    socket.on('data', (bytes: Buffer) => {
      try {
        for (const message of flow.messages.read(bytes)) {
          settle()
          // A fence may have been taken away since the connection was made.
          if (!this.#listener.isAdmitted(flow.address)) return socket.destroy()
          if (message === 'ping') flow.send(Buffer.from('\r\n'))
          else if (message === 'pong') keepAlive?.onPong()
          else if (this.#listener.isWithinRate(flow.address)) this.#listener.onMessage(message, flow)
        }
      } catch (error) {
        socket.destroy()
        if (!(error instanceof MalformedMessage)) throw error
        this.#listener.onMalformed()
      }
      // A message that has begun must end soon, however often a piece of it comes.
      if (!flow.messages.isAmid) settle()
      else cutShort ??= setTimeout(() => socket.destroy(), this.#options.messageWithinMs)
      return undefined
    })
    socket.once('close', () => {
      settle()
      keepAlive?.stop()
      this.#flows.delete(flow)
      if (key !== null && this.#standing.get(key) === flow) this.#standing.delete(key)
    })
  }
}

async function bindUdp(host: string, port: number): Promise<UdpSocket> {
  const socket = createSocket({ type: host.includes(':') ? 'udp6' : 'udp4', recvBufferSize: 1 << 20 })
  socket.bind(port, host)
  await once(socket, 'listening')
  return socket
}

async function listenTcp(host: string, port: number): Promise<Server> {
  const server = createServer({ noDelay: true, keepAlive: true })
  server.listen(port, host)
  await once(server, 'listening')
  return server
}

async function listenTls({ host, tls, messageWithinMs }: TransportOptions): Promise<TlsListener | null> {
  return tls ? TlsListener.open({ host, ...tls, handshakeWithinMs: messageWithinMs }) : null
}
