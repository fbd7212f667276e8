import type { IncomingMessage } from 'node:http'
import websocket, { type WebSocket } from '@fastify/websocket'
import type { FastifyRequest } from 'fastify'
import { secondMs } from '../foundation/clock.ts'
import { browserSockets } from './browser-sockets.ts'
import type { OpenConnections } from './open-connections.ts'
import type { Routes } from './routes.ts'
import type { Server } from './server.ts'

const options = {
  /** A longer frame closes its socket with 1009. */
  maxPayload: 256 * 1024,
  /** How long the other side has to say that it closes as well. */
  closeTimeout: secondMs,
}
/** The longest reason that the protocol allows. */
const longestReasonBytes = 123

/** Lets routes with a `wsHandler` be opened as sockets. Registered before the routes. */
export async function serveSockets(server: Server, connections: OpenConnections) {
  await server.register(websocket, {
    options,
    errorHandler: closeBroken,
    preClose: () => connections.leave(),
  })
  browserSockets(server)
}

/** An upgrade on a path without a socket is an ordinary request. */
export const isSocketRequest =
  (routes: Routes) =>
  ({ method = '', url = '', headers }: IncomingMessage): boolean => {
    if (headers.upgrade?.toLowerCase() !== 'websocket') return false
    return routes.at(method, url.split('?', 1)[0] ?? '')?.socketAccess !== undefined
  }

/** Closes with a sentence, cut to the length that the protocol allows. */
export function closeWith(socket: WebSocket, code: number, sentence: string) {
  const bytes = Buffer.from(sentence).subarray(0, longestReasonBytes)
  const whole = new TextDecoder().decode(bytes, { stream: true }) // without the half of a character at its end
  socket.close(code, whole)
}

/** After a frame against the protocol the socket is closing already; anything else is a fault of ours. */
function closeBroken(error: Error, socket: WebSocket, request: FastifyRequest) {
  if (socket.readyState !== socket.OPEN) return request.log.info({ err: error }, 'a socket broke')
  request.log.error({ err: error }, 'a socket failed')
  closeWith(socket, 1011, 'something broke on our side')
}
