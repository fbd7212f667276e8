import { Identity, OwnAgents } from '@switchroom/contract/identity'
import { anyKey } from '../../http/access.ts'
import type { Server } from '../../http/server.ts'

export function whoamiRoutes(server: Server) {
  server.get(
    '/v1/whoami',
    { access: anyKey, schema: { summary: 'Who this key acts as', response: { 200: Identity } } },
    async (request) => request.caller,
  )
  server.get(
    '/v1/whoami/agents',
    {
      access: anyKey,
      schema: { summary: 'Which agents this key is narrowed to', response: { 200: OwnAgents } },
    },
    async (request) => request.caller,
  )
}
