import { HeldRegistrations, TellRegistrations } from '@switchroom/contract/media-plane'
import { fleetOnly } from '../../http/access.ts'
import type { Server } from '../../http/server.ts'
import type { Registrations } from './registrations.ts'

export function registrationRoutes(server: Server, registrations: Registrations) {
  server.post(
    '/v1/worker/registrations',
    {
      access: fleetOnly,
      schema: {
        summary: 'Report what registrars say, and learn which users this worker alone keeps registered',
        body: TellRegistrations,
        response: { 200: HeldRegistrations },
      },
    },
    ({ body }) => registrations.tell(body),
  )
}
