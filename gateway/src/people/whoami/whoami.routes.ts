import { Identity } from '@switchroom/contract/identity'
import { anyKey } from '../../http/access.ts'
import type { Server } from '../../http/server.ts'

export function whoamiRoutes(server: Server) {
  server.get(
    '/v1/whoami',
    { access: anyKey, schema: { summary: 'Who this key acts as', response: { 200: Identity } } },
    async (request) => request.caller,
  )
}
