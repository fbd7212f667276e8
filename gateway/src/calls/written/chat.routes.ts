import type { FastifyRequest } from 'fastify'
import { SocketOpen } from '@switchroom/contract/apps'
import { ChatAsked } from '@switchroom/contract/chat'
import { secondMs } from '../../foundation/clock.ts'
import { Refusal } from '../../foundation/refusals.ts'
import { chatter } from '../../http/access.ts'
import { keepAlive, type PingTimes } from '../../http/keep-alive.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import { ChatSocket, type ChatSocketParts } from './chat-socket.ts'
import type { ChatSeat } from './chats.ts'

const beats: PingTimes = { pingEveryMs: 20 * secondMs, goneAfterMs: 45 * secondMs }

export function chatRoutes(server: Server, parts: ChatSocketParts) {
  const seats = new WeakMap<FastifyRequest['raw'], ChatSeat>()
  server.route({
    method: 'GET',
    url: '/v1/chat',
    access: chatter,
    socketAccess: chatter,
    schema: {
      summary: 'As a WebSocket: write to an agent',
      description:
        'The client sends `message` and `end`, and is sent `started`, `heard`, `message`, `ended` and `error`. With `call` and `after` it continues where a broken connection left off.',
      querystring: ChatAsked,
      response: { 101: SocketOpen, ...refusals(402, 404, 409, 426, 429) },
    },
    // Refused before the upgrade, while a refusal still has a status.
    preHandler: async ({ ws, caller, query, raw }) => {
      if (!ws) return
      const release = await parts.caps.openChat(caller)
      if (raw.socket.destroyed) release()
      else raw.socket.once('close', release)
      const seat = await parts.chats.seat(caller, query).catch((error: unknown) => {
        release()
        throw error
      })
      seats.set(raw, seat)
      const leave = () => void (seats.delete(raw) && parts.chats.leaveEmpty(seat))
      if (raw.socket.destroyed) leave()
      else raw.socket.once('close', leave)
    },
    handler: () => {
      throw new Refusal(426, 'a chat is opened as a WebSocket', { upgrade: 'websocket' })
    },
    wsHandler: (socket, { raw, caller }) => {
      const seat = seats.get(raw)
      if (!seats.delete(raw) || !seat) return socket.terminate()
      keepAlive(socket, beats)
      new ChatSocket(socket, { seat, caller, access: chatter }, parts).start()
    },
  })
}
