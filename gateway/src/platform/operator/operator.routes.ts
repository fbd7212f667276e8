import { OperatorIdentity } from '@switchroom/contract/identity'
import type { Settings } from '../../foundation/settings.ts'
import { version } from '../../foundation/version.ts'
import { operator } from '../../http/access.ts'
import type { Server } from '../../http/server.ts'

export function operatorRoutes(server: Server, { domain = null }: { domain?: Settings['domain'] | null }) {
  server.get(
    '/v1/ops/whoami',
    { access: operator, schema: { summary: 'Who runs the platform', response: { 200: OperatorIdentity } } },
    async (request) => ({ operator: true as const, version, domain, ...request.operator }),
  )
}
