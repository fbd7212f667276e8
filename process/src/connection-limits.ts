import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { BaseLogger } from 'pino'
import { connectionAddress } from './client-address.ts'
import { listOf, network, secondsAsMs, wholeNumber, type Network } from './setting-parsing.ts'
import type { ReadSetting } from './setting-reader.ts'

/** How long a client may take to send a request, and how many connections a listener accepts. */
export interface ConnectionLimits {
  headersTimeoutMs: number
  requestTimeoutMs: number
  /** A body that brings less than 16 KiB in this time is too slow: its connection is closed. */
  bodyStallMs: number
  mostConnections: number
  mostConnectionsPerAddress: number
}

const leastBodyBytes = 16 * 1024
const pollEveryMs = 500
const warnEveryMs = 60_000

export const readConnectionLimits = (read: ReadSetting): ConnectionLimits => ({
  headersTimeoutMs: read('SVC_HEADERS_TIMEOUT_S', secondsAsMs) ?? 10_000,
  requestTimeoutMs: read('SVC_REQUEST_TIMEOUT_S', secondsAsMs) ?? 600_000,
  bodyStallMs: read('SVC_BODY_STALL_S', secondsAsMs) ?? 10_000,
  mostConnections: read('SVC_MAX_CONNECTIONS', wholeNumber) ?? 10_000,
  mostConnectionsPerAddress: read('SVC_MAX_CONNECTIONS_PER_ADDRESS', wholeNumber) ?? 1000,
})

export const readTrustedProxies = (read: ReadSetting): Network[] =>
  read('SVC_TRUSTED_PROXIES', listOf(network)) ?? []

/** Options that `http.createServer` needs from the start. */
export const serverOptions = ({ headersTimeoutMs, requestTimeoutMs }: ConnectionLimits) => ({
  headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
  requestTimeout: requestTimeoutMs,
  connectionsCheckingInterval: pollEveryMs,
})

interface LimitedServer {
  server: Server
  limits: ConnectionLimits
  trustedProxies: readonly Network[]
  logger: Pick<BaseLogger, 'warn'>
}

/** Closes connections above the limits, in total and from one address, without an answer. */
export function capConnections({ server, limits, trustedProxies, logger }: LimitedServer) {
  const open = new Map<string, number>()
  let warnedAtMs = -Infinity
  const warn = (setting: string) => {
    if (performance.now() - warnedAtMs < warnEveryMs) return
    warnedAtMs = performance.now()
    logger.warn({ setting }, 'connections are refused: there are too many')
  }
  server.maxConnections = limits.mostConnections
  server.on('drop', () => warn('SVC_MAX_CONNECTIONS'))
  server.prependListener('connection', (socket: Socket) => {
    const address = connectionAddress(socket.remoteAddress ?? '', trustedProxies)
    if (address === undefined) return
    const others = open.get(address) ?? 0
    if (others >= limits.mostConnectionsPerAddress) {
      warn('SVC_MAX_CONNECTIONS_PER_ADDRESS')
      socket.destroy()
      return
    }
    open.set(address, others + 1)
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1
      if (left > 0) open.set(address, left)
      else open.delete(address)
    })
  })
}

interface UnfinishedBody {
  response: ServerResponse
  bytesRead: number
  sinceMs: number
}

/** Closes connections whose body stopped, or comes too slowly. */
export class SlowBodies {
  readonly #server: Server
  readonly #stallMs: number
  readonly #unfinished = new Map<IncomingMessage, UnfinishedBody>()
  readonly #timer: NodeJS.Timeout

  constructor(server: Server, { bodyStallMs }: ConnectionLimits) {
    this.#server = server
    this.#stallMs = bodyStallMs
    this.#timer = setInterval(() => this.#poll(performance.now()), Math.min(pollEveryMs, bodyStallMs))
    this.#timer.unref()
    server.once('close', () => clearInterval(this.#timer))
  }

  /** Also if no route reads the body, or one has answered already. */
  watch(request: IncomingMessage, response: ServerResponse) {
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers
    if (length === '0' && encoding === undefined) return
    const { bytesRead } = request.socket
    this.#unfinished.set(request, { response, bytesRead, sinceMs: performance.now() })
  }

  #poll(nowMs: number) {
    for (const [request, body] of this.#unfinished) {
      const { socket } = request
      if (request.complete || socket.destroyed) this.#unfinished.delete(request)
      else if (socket.bytesRead - body.bytesRead >= leastBodyBytes || isLeftUnread(request)) {
        body.bytesRead = socket.bytesRead
        body.sinceMs = nowMs
      } else if (nowMs - body.sinceMs >= this.#stallMs) {
        this.#unfinished.delete(request)
        this.#close(socket, body.response)
      }
    }
  }

  #close(socket: Socket, response: ServerResponse) {
    if (response.headersSent) return socket.destroy()
    const error = Object.assign(new Error('a body took too long'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    return this.#server.emit('clientError', error, socket)
  }
}

/** The route is slow, not the client. */
const isLeftUnread = ({ readableLength, readableHighWaterMark }: IncomingMessage) =>
  readableLength >= readableHighWaterMark
