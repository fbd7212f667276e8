import type { InstalledVendors } from '@switchroom/kit/installed'
import type { FastifyBaseLogger } from 'fastify'
import type { GatewayClient } from './gateway-client.ts'
import { healthRoutes } from './health.routes.ts'
import { streamRoutes } from './live/live.routes.ts'
import { makeServer, type Parts, type Server } from './server.ts'
import type { Settings } from './settings.ts'
import { speechRoutes } from './speaking/speech.routes.ts'
import { transcriptionRoutes } from './transcriptions/transcriptions.routes.ts'
import { voiceRoutes } from './voices/voices.routes.ts'

/** The whole voice server, not yet listening. */
export async function makeSpeechServer(
  settings: Settings,
  gateway: GatewayClient,
  vendors: InstalledVendors,
  logger: FastifyBaseLogger,
): Promise<Server> {
  const server = makeServer(settings, logger)
  const parts: Parts = { settings, gateway, vendors }
  // each in a scope of its own, so that one reads JSON, one forms, and one opens sockets
  for (const routes of [healthRoutes, speechRoutes, voiceRoutes, transcriptionRoutes, streamRoutes])
    await server.register(async (scope) => routes(scope, parts))
  return server
}
