import { open } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import { unavailable } from '../../foundation/refusals.ts'
import type { Server } from '../../http/server.ts'

/** The paths of platform-wide sign-in, which is not built: they answer 503. */
export function socialRoutes(server: Server) {
  for (const path of ['/v1/login/social', '/v1/login/social/callback'])
    server.get(
      path,
      { access: open, schema: { summary: 'Platform-wide sign-in', hide: true, response: refusals(503) } },
      async () => {
        throw unavailable('platform-wide sign-in is not in this version')
      },
    )
}
