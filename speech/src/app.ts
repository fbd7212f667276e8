import type { Listeners } from '@switchroom/process/listeners'
import { PeriodicTasks } from '@switchroom/process/periodic-tasks'
import type { FastifyBaseLogger } from 'fastify'
import { healthRoutes } from './http/health.routes.ts'
import { openApiRoutes } from './description/openapi.routes.ts'
import { streamRoutes } from './live/live.routes.ts'
import { modelRoutes } from './models/models.routes.ts'
import { makeServer, type Parts, type Server } from './http/server.ts'
import type { Settings } from './foundation/settings.ts'
import { speechRoutes } from './synthesis/speech.routes.ts'
import { transcriptionRoutes } from './transcriptions/transcriptions.routes.ts'
import { voiceRoutes } from './voices/voices.routes.ts'

/** The whole voice server, not yet listening. */
export async function makeSpeechServer(
  made: Omit<Parts, 'tasks'> & { logger: FastifyBaseLogger },
): Promise<Server> {
  const { settings, logger, meters } = made
  const server = makeServer(settings, logger, meters)
  const tasks = new PeriodicTasks(logger)
  const parts: Parts = { ...made, tasks }
  server.addHook('onClose', () => tasks.stopAll())
  // each in a scope of its own, so that one reads JSON, one forms, and one opens sockets
  for (const routes of [
    healthRoutes,
    openApiRoutes,
    speechRoutes,
    voiceRoutes,
    modelRoutes,
    transcriptionRoutes,
    streamRoutes,
  ])
    await server.register(async (scope) => routes(scope, parts))
  return server
}

/** Returns the port, which differs from the one asked for if that is 0. */
export const listenOn = (
  listeners: Listeners,
  server: Server,
  { host, port }: Pick<Settings, 'host' | 'port'>,
) => listeners.open(server, { host, port, setting: 'SVC_VOICE_PORT', hostSetting: 'SVC_HOST' })
