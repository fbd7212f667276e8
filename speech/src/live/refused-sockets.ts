import type { WebSocket } from '@fastify/websocket'
import type { Refusal } from '../foundation/refusals.ts'

const violatedPolicy = 1008
const serverFault = 1011
const upstream = new Set(['UPSTREAM_ERROR', 'UPSTREAM_TIMEOUT'])

/** Says why in a frame, and in the close code whose fault it was. */
export function closeWithRefusal(socket: WebSocket, { code, message }: Refusal) {
  if (socket.readyState !== socket.OPEN) return
  socket.send(JSON.stringify({ type: 'error', code, error: message }))
  socket.close(upstream.has(code) ? serverFault : violatedPolicy)
}
