import { once } from 'node:events'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { plainAddress } from './gate.ts'
import { MessageStream } from './stream.ts'

export type Protocol = 'udp' | 'tcp' | 'tls'

/** A way to one address and back. */
export interface Flow {
  readonly transport: Protocol
  /** Whether what is sent arrives, or the flow closes. */
  readonly isReliable: boolean
  readonly isOpen: boolean
  readonly address: string
  readonly port: number
  send(bytes: Buffer): void
  /** The same way to another port of the far end; a connection knows only its own. */
  at(port: number): Flow
}

/** Where to send something. */
export interface Target {
  transport: Protocol
  address: string
  port: number
  /** Whose certificate to expect. */
  name: string
}

const connectWithinMs = 5_000
const mostUnsentBytes = 1 << 20

/** One connection. */
export class StreamFlow implements Flow {
  readonly transport: Protocol
  readonly isReliable = true
  readonly address: string
  readonly port: number
  readonly messages = new MessageStream()
  readonly #socket: Socket

  constructor(transport: Protocol, socket: Socket) {
    this.transport = transport
    this.#socket = socket
    this.address = plainAddress(socket.remoteAddress ?? '')
    this.port = socket.remotePort ?? 0
  }

  get isOpen(): boolean {
    return this.#socket.writable
  }

  send(bytes: Buffer): void {
    // A peer that sends requests and does not read is disconnected.
    if (this.#socket.writableLength > mostUnsentBytes) this.#socket.destroy()
    else if (this.#socket.writable) this.#socket.write(bytes)
  }

  at(): Flow {
    return this
  }

  destroy(): void {
    this.#socket.destroy()
  }
}

/** Connects, or rejects within some seconds. */
export async function openFlow({ transport, address, port, name }: Target): Promise<Socket> {
  const socket =
    transport === 'tls'
      ? connectTls({ host: address, port, ...(isIP(name) ? {} : { servername: name }) })
      : connect({ host: address, port, noDelay: true })
  try {
    await once(socket, transport === 'tls' ? 'secureConnect' : 'connect', {
      signal: AbortSignal.timeout(connectWithinMs),
    })
  } catch (error) {
    socket.destroy()
    throw error
  }
  socket.on('error', () => {})
  socket.setKeepAlive(true, 30_000)
  return socket
}
