import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import type { ConnectionLimits } from '../foundation/limit-settings.ts'

/** In each stretch of `bodyStallMs` a body that is not whole brings at least so much. */
const leastBodyBytes = 16 * 1024
const pollEveryMs = 500
const warnEveryMs = 60_000

/** What `http.createServer` has to know from the start. */
export const serverOptions = ({ headersTimeoutMs, requestTimeoutMs }: ConnectionLimits) => ({
  headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
  requestTimeout: requestTimeoutMs,
  connectionsCheckingInterval: pollEveryMs,
})

interface LimitedServer {
  server: Server
  limits: ConnectionLimits
  /** What shares one count of connections; undefined for a proxy, which brings everybody's. */
  placeOf: (peer: string) => string | undefined
  logger: FastifyBaseLogger
}

/** Takes so many connections and no more, altogether and from one address; more are closed without an answer. */
export function capConnections({ server, limits, placeOf, logger }: LimitedServer) {
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
    const place = placeOf(socket.remoteAddress ?? '')
    if (place === undefined) return
    const others = open.get(place) ?? 0
    if (others >= limits.mostConnectionsPerAddress) {
      warn('SVC_MAX_CONNECTIONS_PER_ADDRESS')
      socket.destroy()
      return
    }
    open.set(place, others + 1)
    socket.once('close', () => {
      const left = (open.get(place) ?? 1) - 1
      if (left > 0) open.set(place, left)
      else open.delete(place)
    })
  })
}

interface Arriving {
  response: ServerResponse
  bytesRead: number
  sinceMs: number
}

/** Closes connections whose body stopped arriving, or arrives by drops; what arrives steadily may take its time. */
export class SlowBodies {
  readonly #server: Server
  readonly #stallMs: number
  readonly #arriving = new Map<IncomingMessage, Arriving>()
  readonly #timer: NodeJS.Timeout

  constructor(server: Server, { bodyStallMs }: ConnectionLimits) {
    this.#server = server
    this.#stallMs = bodyStallMs
    this.#timer = setInterval(() => this.#poll(performance.now()), Math.min(pollEveryMs, bodyStallMs))
    this.#timer.unref()
    server.once('close', () => clearInterval(this.#timer))
  }

  /** Whether or not a route reads it, or has answered already. */
  watch(request: IncomingMessage, response: ServerResponse) {
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers
    if (length === '0' && encoding === undefined) return
    const { bytesRead } = request.socket
    this.#arriving.set(request, { response, bytesRead, sinceMs: performance.now() })
  }

  #poll(nowMs: number) {
    for (const [request, arriving] of this.#arriving) {
      const { socket } = request
      if (request.complete || socket.destroyed) this.#arriving.delete(request)
      else if (socket.bytesRead - arriving.bytesRead >= leastBodyBytes || isLeftUnread(request)) {
        arriving.bytesRead = socket.bytesRead
        arriving.sinceMs = nowMs
      } else if (nowMs - arriving.sinceMs >= this.#stallMs) {
        this.#arriving.delete(request)
        this.#close(socket, arriving.response)
      }
    }
  }

  #close(socket: Socket, response: ServerResponse) {
    if (response.headersSent) return socket.destroy()
    const error = Object.assign(new Error('a body took too long'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    return this.#server.emit('clientError', error, socket)
  }
}

/** The route takes its time, and not the client. */
const isLeftUnread = ({ readableLength, readableHighWaterMark }: IncomingMessage) =>
  readableLength >= readableHighWaterMark
