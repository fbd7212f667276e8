import { PlatformSignIn } from '@switchroom/contract/discovery'
import { OperatorIdentity } from '@switchroom/contract/identity'
import { unavailable } from '../../foundation/refusals.ts'
import type { Settings } from '../../foundation/settings.ts'
import { version } from '../../foundation/version.ts'
import { operator } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'

export function operatorRoutes(server: Server, { domain, baseUrl }: Pick<Settings, 'domain' | 'baseUrl'>) {
  server.get(
    '/v1/ops/whoami',
    { access: operator, schema: { summary: 'Who runs the platform', response: { 200: OperatorIdentity } } },
    async (request) => ({ operator: true as const, version, domain: domain ?? null, ...request.operator }),
  )

  server.get(
    '/v1/ops/signin',
    { access: operator, schema: { summary: 'Platform-wide sign-in', response: { 200: PlatformSignIn } } },
    async () => ({
      provider: 'social' as const,
      wired: false as const,
      redirect_uri: `${baseUrl}/v1/login/social/callback`,
    }),
  )

  for (const method of ['PUT', 'DELETE'] as const)
    server.route({
      method,
      url: '/v1/ops/signin/social',
      access: operator,
      schema: { summary: 'Not in this version', hide: true, response: refusals(503) },
      handler: async () => {
        throw unavailable('platform-wide sign-in is not in this version')
      },
    })
}
