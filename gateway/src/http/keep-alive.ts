import type { WebSocket } from '@fastify/websocket'

export interface Beats {
  pingEveryMs: number
  /** Without a pong for this long, nobody is there. */
  goneAfterMs: number
}

/** Asks for a sign of life again and again, and lets go of a socket that gives none. */
export function keepAlive(socket: WebSocket, { pingEveryMs, goneAfterMs }: Beats) {
  const pings = setInterval(() => socket.ping(), pingEveryMs)
  const gone = setTimeout(() => socket.terminate(), goneAfterMs)
  socket.on('pong', () => gone.refresh())
  socket.once('close', () => {
    clearInterval(pings)
    clearTimeout(gone)
  })
}
