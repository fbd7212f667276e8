import { ProviderRow } from '@switchroom/contract/providers'
import { operator } from '../../http/access.ts'
import type { Server } from '../../http/server.ts'
import type { ProvidersRow } from './row.ts'

export function providersRowRoutes(server: Server, row: ProvidersRow) {
  server.get(
    '/v1/ops/providers',
    {
      access: operator,
      schema: { summary: "The platform's providers row", response: { 200: ProviderRow } },
    },
    () => row.read(),
  )

  server.put(
    '/v1/ops/providers',
    {
      access: operator,
      schema: {
        summary: "Replace the platform's providers row whole",
        body: ProviderRow,
        response: { 200: ProviderRow },
      },
    },
    (request) => row.replace(request.operator, request.body),
  )
}
