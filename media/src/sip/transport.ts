import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { plainAddress } from './gate.ts'
import { Counts, type SipLimits } from './limits.ts'
import type { SipMessage } from './message.ts'
import { MalformedMessage, parseMessage } from './parser.ts'
import { type Flow, openFlow, StreamFlow, type Target } from './flow.ts'

export interface TransportOptions {
  host: string
  port: number
  transports: readonly ('udp' | 'tcp')[]
  limits: Pick<SipLimits, 'connections' | 'connectionsOfSource'>
  messageWithinMs: number
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
}

const longestKeptAliveMs = 15 * 60_000
const bindAttempts = 20

/** The sockets: datagrams and connections in, messages out. */
export class SipTransport {
  readonly port: number
  readonly #udp: UdpSocket | null
  readonly #tcp: Server | null
  readonly #options: TransportOptions
  readonly #listener: TransportListener
  readonly #flows = new Map<string, StreamFlow>()
  readonly #ofSource = new Counts()
  #isClosed = false
  #unsent = 0
  #onSent = () => {}

  private constructor(sockets: BoundSockets, options: TransportOptions, listener: TransportListener) {
    const { port, udp, tcp } = sockets
    this.port = port
    this.#options = options
    this.#udp = udp
    this.#tcp = tcp
    this.#listener = listener
    udp?.on('message', (bytes, { address, port: from }) => this.#receive(bytes, plainAddress(address), from))
    // An undelivered message shows in the timers of its transaction.
    udp?.on('error', () => {})
    tcp?.on('connection', (socket) => this.#take(socket))
    tcp?.on('error', () => {})
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
        return new SipTransport({ port: open, udp, tcp }, options, listener)
      } catch (error) {
        udp?.close()
        // Any port will do, so one that is free for both is looked for.
        if (port !== 0 || attempt === bindAttempts) throw error
      }
    }
  }

  get connections(): number {
    return this.#flows.size
  }

  /** How to send there; an open connection is used again. */
  async flowTo(target: Target): Promise<Flow> {
    if (this.#isClosed) throw new Error('the sockets are closed')
    if (target.transport === 'udp') {
      if (!this.#udp) throw new Error('no UDP socket is open')
      return this.#udpFlow(target.address, target.port)
    }
    const standing = this.#flows.get(keyOf(target.transport, target.address, target.port))
    if (standing) return standing
    const socket = await openFlow(target)
    return this.#keep(new StreamFlow(target.transport, socket), socket)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    // A socket that closes forgets what it has not sent.
    if (this.#unsent > 0) await new Promise<void>((resolve) => (this.#onSent = resolve))
    for (const flow of this.#flows.values()) flow.destroy()
    const udp = this.#udp
    const tcp = this.#tcp
    await Promise.all([
      udp && new Promise<void>((resolve) => udp.close(() => resolve())),
      tcp && new Promise<void>((resolve) => tcp.close(() => resolve())),
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
      send: (bytes) => {
        if (this.#isClosed || !this.#udp) return
        this.#unsent++
        this.#udp.send(bytes, port, address, () => {
          if (--this.#unsent === 0) this.#onSent()
        })
      },
      at: (other) => this.#udpFlow(address, other),
    }
  }

  #take(socket: Socket): void {
    socket.on('error', () => {})
    const source = plainAddress(socket.remoteAddress ?? '')
    const { limits, messageWithinMs } = this.#options
    if (!this.#listener.isAdmitted(source)) this.#listener.onRefused()
    else if (
      this.#flows.size < limits.connections &&
      this.#ofSource.of(source) < limits.connectionsOfSource
    ) {
      this.#ofSource.add(source)
      socket.once('close', () => this.#ofSource.remove(source))
      this.#keep(new StreamFlow('tcp', socket), socket)
      const nothingSaid = setTimeout(() => socket.destroy(), messageWithinMs)
      socket.once('data', () => clearTimeout(nothingSaid)).once('close', () => clearTimeout(nothingSaid))
      return
    }
    socket.resetAndDestroy()
  }

  #keep(flow: StreamFlow, socket: Socket): Flow {
    const key = keyOf(flow.transport, flow.address, flow.port)
    this.#flows.set(key, flow)
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
      if (this.#flows.get(key) === flow) this.#flows.delete(key)
    })
    return flow
  }
}

const keyOf = (transport: string, address: string, port: number) => `${transport} ${address} ${port}`

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
