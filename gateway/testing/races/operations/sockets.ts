import { once } from 'node:events'
import type { WebSocket } from 'ws'
import type { Client } from '../../client.ts'
import { asAnswer, type Operations } from './operation.ts'

/** Sockets that are opened, asked one thing and closed. */
export const socketOperations: Operations = {
  'GET /v1/apps that registers an agent': async (round) => {
    const { key } = await round.key()
    const frame = { type: 'agent.register', agent: round.name('held') }
    return (site) => askOnce(site.as(key), '/v1/apps', frame)
  },
  'GET /v1/chat that says something': async (round) => {
    const { key } = await round.key()
    return (site) => askOnce(site.as(key), '/v1/chat?agent=desk', { type: 'message', text: 'Hello' })
  },
}

/** The first frame that comes back, or how the socket was refused or closed. */
async function askOnce(client: Client, path: string, frame: object) {
  const opened = await client.open(path)
  if (!('readyState' in opened)) return asAnswer({ status: opened.status, body: opened.text })
  const closed = once(opened, 'close').then(([code]: number[]) => ({ status: 101, body: { closed: code } }))
  const answered = once(opened, 'message').then(([sent]: Buffer[]) => ({ status: 101, body: String(sent) }))
  opened.send(JSON.stringify(frame))
  const answer = await Promise.race([answered, closed])
  await closeOf(opened)
  return asAnswer(answer)
}

async function closeOf(socket: WebSocket) {
  if (socket.readyState === socket.CLOSED) return
  socket.close()
  await once(socket, 'close')
}
