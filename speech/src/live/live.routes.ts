import type { IncomingMessage } from 'node:http'
import websocket, { type WebSocket } from '@fastify/websocket'
import type { FastifyRequest, RouteOptions } from 'fastify'
import { bearerOf, authenticate } from '../http/authentication.ts'
import { Refusal } from '../foundation/refusals.ts'
import type { Parts, Server } from '../http/server.ts'
import { usualLimits } from './live-limits.ts'
import { LiveStream } from './live-stream.ts'
import { OpenStreams } from './open-streams.ts'
import { letGo, open, type Opening } from './stream-opening.ts'
import { closeWithRefusal } from './refused-sockets.ts'

const options = {
  /** A longer frame closes its socket with 1009. */
  maxPayload: 4 * 1024 * 1024,
  /** How long the other side has to say that it closes as well. */
  closeTimeout: 5_000,
}

const path = '/v1/audio/transcriptions/stream'

export async function streamRoutes(server: Server, parts: Parts, limits = usualLimits) {
  const { gateway, vendors, tasks } = parts
  const { socketUrl } = parts.settings
  const streams = new OpenStreams(gateway, limits)
  parts.meters.gauge('switchroom_speech_streams', () => [[streams.count]])
  tasks.start(streams.judgement)
  const openings = new WeakMap<IncomingMessage, Opening & { requestId: string }>()
  await server.register(websocket, {
    options,
    errorHandler: closeBroken,
    preClose: (done) => void streams.leave().finally(done),
  })
  server.websocketServer.on('headers', (headers, raw) => {
    const opening = openings.get(raw)
    if (opening) headers.push(`X-Svc-Request-Id: ${opening.requestId}`)
  })

  server.addHook('onRequest', authenticate(gateway, 'streams', keyOf))

  const stream: Omit<RouteOptions, 'access'> = {
    method: 'GET',
    url: path,
    preHandler: async ({ ws, raw, id, query, entered }) => {
      if (!ws) return
      const opening = await open(gateway, entered.key_id, query as Record<string, unknown>)
      openings.set(raw, { ...opening, requestId: id })
      const leave = () => void (openings.delete(raw) && letGo(gateway, opening.grant))
      if (raw.socket.destroyed) leave()
      else raw.socket.once('close', leave)
    },
    handler: () => {
      const where = socketUrl === undefined ? '' : ` at ${socketUrl}${path}`
      throw new Refusal(426, 'UPGRADE_REQUIRED', `live transcription is opened as a WebSocket${where}`, {
        upgrade: 'websocket',
      })
    },
    wsHandler: async (socket, { raw, log }) => {
      const opening = openings.get(raw)
      if (!openings.delete(raw) || !opening) return socket.terminate()
      socket.on('error', (error) => log.info({ err: error }, 'a stream broke'))
      const { grant, given, requestId } = opening
      if (grant instanceof Refusal) return closeWithRefusal(socket, grant)
      const settle = (seconds: number) => gateway.settle(grant.id, { seconds })
      const opened = { requestId, given, vendors, grant, limits, logger: log, settle }
      await streams.run(new LiveStream(socket, opened))
    },
  }
  server.route(stream as RouteOptions) // the gateway's types of Fastify, in the same program, would ask for `access`
}

/** A key in the query is read only if there is no header at all. */
function keyOf(request: FastifyRequest): string | null {
  if (request.headers.authorization !== undefined) return bearerOf(request)
  const { api_key: key } = request.query as Record<string, unknown>
  return typeof key === 'string' && key !== '' ? key : null
}

function closeBroken(error: Error, socket: WebSocket, request: FastifyRequest) {
  request.log.error({ err: error }, 'a stream failed')
  closeWithRefusal(socket, new Refusal(502, 'UPSTREAM_ERROR', 'something broke on our side'))
}
