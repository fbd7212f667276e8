import type { WebSocket } from '@fastify/websocket'

export interface PingTimes {
  pingEveryMs: number
  /** Without a pong for this long, the other side is gone. */
  goneAfterMs: number
}

/** Pings a socket, and closes it if no pong comes. */
export function keepAlive(socket: WebSocket, { pingEveryMs, goneAfterMs }: PingTimes) {
  const pings = setInterval(() => socket.ping(), pingEveryMs)
  const gone = setTimeout(() => socket.terminate(), goneAfterMs)
  socket.on('pong', () => gone.refresh())
  socket.once('close', () => {
    clearInterval(pings)
    clearTimeout(gone)
  })
}
