import { authenticate } from '../http/authentication.ts'
import type { Parts, Server } from '../http/server.ts'
import { listVoices, type VoicesFilter } from './voices.ts'

export async function voiceRoutes(server: Server, { gateway }: Parts) {
  server.addHook('onRequest', authenticate(gateway, 'voices'))

  server.get<{ Querystring: VoicesFilter }>('/v1/audio/voices', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    return listVoices(gateway, request.entered, request.query)
  })
}
