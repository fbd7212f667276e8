import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { createServer, isIPv6, type Server, type Socket } from 'node:net'
import { MediaError } from '../plane.ts'
import { FrameReader, writeFrame } from './tcp-frames.ts'
import { usernameOf } from './stun-username.ts'

/** A browser opens one for each of its networks, and again after a restart of ICE; a stranger's would fill memory. */
const mostConnections = 8
/** Until the browser has named itself. */
const namedWithinMs = 5_000
/** What waits to be sent on a slow connection: about a second of sound, and older sound is of no use. */
const mostWaitingBytes = 32_768
/** Below every candidate of UDP: sound over TCP is late as soon as a packet is lost. */
const priority = (90 << 24) + (4 << 21) + 255

interface HostCandidate {
  address: string
  port: number
}

/**
 * Where a browser reaches us whose network lets no UDP through (RFC 6544, passive): a TCP listener at the address and
 * port of each UDP candidate. What a connection brings goes to that candidate as if it had come by UDP, from a socket
 * of its own, and what is answered there goes back.
 */
export class TcpCandidates {
  readonly #servers: Server[]
  readonly #closings: Set<() => void>

  private constructor(servers: Server[], closings: Set<() => void>) {
    this.#servers = servers
    this.#closings = closings
  }

  /** Listens beside the candidates of the answer; `isForUs` judges the username of a connectivity check. */
  static async beside(
    sdp: string,
    isForUs: (username: string) => boolean,
  ): Promise<{ sdp: string; candidates: TcpCandidates }> {
    const servers: Server[] = []
    const closings = new Set<() => void>()
    const lines: string[] = []
    for (const line of sdp.split('\r\n')) {
      lines.push(line)
      const host = hostOf(line)
      if (!host) continue
      const server = await listen(host, (socket) => {
        if (closings.size >= mostConnections) socket.destroy()
        else bridge(socket, host, isForUs, closings)
      })
      if (!server) continue // another process has the port: the browser has the other candidates
      servers.push(server)
      lines.push(tcpLine(line))
    }
    return { sdp: lines.join('\r\n'), candidates: new TcpCandidates(servers, closings) }
  }

  close(): void {
    for (const server of this.#servers) server.close()
    for (const close of this.#closings) close()
  }
}

/** Of `a=candidate:1 1 udp 2130706431 192.0.2.1 20000 typ host …`, as RFC 8839 has it. */
function hostOf(line: string): HostCandidate | undefined {
  if (!line.startsWith('a=candidate:')) return undefined
  const [, , transport, , address, port, , type] = line.split(' ')
  if (transport?.toLowerCase() !== 'udp' || type !== 'host' || address === undefined) return undefined
  return { address, port: Number(port) }
}

function tcpLine(line: string): string {
  const [foundation, component, , , address, port, ...rest] = line.split(' ')
  const [typ, type, ...extensions] = rest
  return [
    `${foundation}t`,
    component,
    'tcp',
    priority,
    address,
    port,
    typ,
    type,
    'tcptype passive',
    ...extensions,
  ].join(' ')
}

function listen(
  { address, port }: HostCandidate,
  onConnection: (socket: Socket) => void,
): Promise<Server | undefined> {
  const server = createServer(onConnection)
  return new Promise((resolve) => {
    server.once('error', () => resolve(undefined))
    server.listen({ host: address, port }, () => {
      server.removeAllListeners('error').on('error', () => {}) // a connection that could not be accepted
      resolve(server)
    })
  })
}

/** Nothing goes on before a connectivity check that names us and the browser of this call. */
function bridge(
  socket: Socket,
  host: HostCandidate,
  isForUs: (username: string) => boolean,
  closings: Set<() => void>,
): void {
  const reader = new FrameReader()
  let datagrams: UdpSocket | undefined
  let isClosed = false
  const close = () => {
    if (isClosed) return
    isClosed = true
    clearTimeout(unnamed)
    closings.delete(close)
    socket.destroy()
    datagrams?.close()
  }
  const unnamed = setTimeout(close, namedWithinMs)
  closings.add(close)
  const pass = (packet: Buffer) => {
    if (!datagrams) {
      const username = usernameOf(packet)
      if (username === undefined || !isForUs(username)) return close()
      clearTimeout(unnamed)
      datagrams = openDatagrams(host, socket, close)
    }
    datagrams.send(packet, host.port, host.address)
  }
  socket.setNoDelay(true)
  socket.on('data', (bytes) => {
    try {
      for (const packet of reader.read(bytes)) if (!isClosed) pass(packet)
    } catch (error) {
      if (!(error instanceof MediaError)) throw error
      close()
    }
  })
  socket.on('error', close)
  socket.on('close', close)
}

function openDatagrams(host: HostCandidate, socket: Socket, close: () => void): UdpSocket {
  const datagrams = createSocket(isIPv6(host.address) ? 'udp6' : 'udp4')
  datagrams.on('message', (packet, { port }) => {
    if (port === host.port && socket.writableLength < mostWaitingBytes) socket.write(writeFrame(packet))
  })
  datagrams.on('error', close)
  datagrams.bind({ address: host.address })
  return datagrams
}
