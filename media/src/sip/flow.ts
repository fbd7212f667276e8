import { once } from 'node:events'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls, createSecureContext, type SecureContext } from 'node:tls'
import { MediaError } from '../plane.ts'
import { plainAddress } from './gate.ts'
import { MessageStream } from './stream.ts'
import { markOf, type TlsTerms } from './tls-terms.ts'

export type Protocol = 'udp' | 'tcp' | 'tls'

/** A way to one address and back. */
export interface Flow {
  readonly transport: Protocol
  /** Whether what is sent arrives, or the flow closes. */
  readonly isReliable: boolean
  readonly isOpen: boolean
  readonly address: string
  readonly port: number
  /** Of our end. */
  readonly localPort: number
  /** Whose certificate was checked; empty if none was. */
  readonly name: string
  /** Why it closed, if something failed. */
  readonly failure: unknown
  send(bytes: Buffer): void
  /** The same way to another port of the far end; a connection knows only its own. */
  at(port: number): Flow
  /** Calls once when it closes; what it returns takes that back. */
  onClosed(listener: () => void): () => void
}

/** Where to send something. */
export interface Target {
  transport: Protocol
  address: string
  port: number
  /** Whose certificate to expect. */
  name: string
  tls?: TlsTerms
}

/** Connections are told apart by it: one that was checked for a name serves no other name. */
export const keyOf = ({ transport, address, port, name, tls = {} }: Target): string =>
  transport === 'tls' ? `tls ${address} ${port} ${name} ${markOf(tls)}` : `${transport} ${address} ${port}`

const mostUnsentBytes = 1 << 20

/** One connection. */
export class StreamFlow implements Flow {
  readonly transport: Protocol
  readonly isReliable = true
  readonly address: string
  readonly port: number
  readonly localPort: number
  readonly name: string
  readonly messages = new MessageStream()
  failure: unknown = null
  /** When something was sent or heard last, blank lines aside. */
  usedAtMs = performance.now()
  readonly socket: Socket
  readonly #onClosed = new Set<() => void>()

  /** The name is the one that the far end's certificate was checked for. */
  constructor(transport: Protocol, socket: Socket, name = '') {
    this.transport = transport
    this.socket = socket
    this.name = name
    this.address = plainAddress(socket.remoteAddress ?? '')
    this.port = socket.remotePort ?? 0
    this.localPort = socket.localPort ?? 0
    socket.on('error', (error) => (this.failure = error))
    socket.once('close', () => {
      for (const listener of this.#onClosed) listener()
    })
  }

  get isOpen(): boolean {
    return this.socket.writable
  }

  ping(): void {
    if (this.socket.writable) this.socket.write('\r\n\r\n')
  }

  send(bytes: Buffer): void {
    this.usedAtMs = performance.now()
    // A peer that sends requests and does not read is disconnected.
    if (this.socket.writableLength > mostUnsentBytes) this.socket.destroy()
    else if (this.socket.writable) this.socket.write(bytes)
  }

  at(): Flow {
    return this
  }

  onClosed(listener: () => void): () => void {
    this.#onClosed.add(listener)
    return () => this.#onClosed.delete(listener)
  }

  destroy(): void {
    this.socket.destroy()
  }
}

/** Connects, or rejects in time; with a `MediaError` if the account's certificates are the reason. */
export async function openFlow(target: Target, withinMs: number): Promise<StreamFlow> {
  const { transport, address, port, name, tls = {} } = target
  const isTls = transport === 'tls'
  const socket = isTls
    ? connectTls({
        host: address,
        port,
        ...(!isIP(name) && { servername: name }),
        ...(Object.keys(tls).length > 0 && { secureContext: contextOf(tls) }),
      })
    : connect({ host: address, port, noDelay: true })
  try {
    await once(socket, isTls ? 'secureConnect' : 'connect', { signal: AbortSignal.timeout(withinMs) })
  } catch (error) {
    socket.on('error', () => {}).destroy()
    throw error
  }
  socket.setKeepAlive(true, 30_000)
  return new StreamFlow(transport, socket, isTls ? name : '')
}

function contextOf(tls: TlsTerms): SecureContext {
  try {
    return createSecureContext(tls)
  } catch (error) {
    throw new MediaError(
      'the certificates of the account cannot be used: write them as PEM, the key of the client certificate beside it',
      { cause: error },
    )
  }
}
