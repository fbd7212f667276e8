import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { WebSocket } from 'ws'

export interface SocketRefusal {
  status: number
  text: string
}

/** Opens a socket as a person, or says how that was refused. */
export async function openSocket(
  url: string,
  headers: Record<string, string>,
): Promise<WebSocket | SocketRefusal> {
  const socket = new WebSocket(url.replace(/^http/, 'ws'), { headers, handshakeTimeout: 10_000 })
  return Promise.race([once(socket, 'open').then(() => socket), refusalOf(socket)])
}

/** How a socket was refused, once it is. */
export async function refusalOf(socket: WebSocket): Promise<SocketRefusal> {
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage]
  const text = Buffer.concat(await response.toArray()).toString()
  return { status: response.statusCode ?? 0, text }
}
