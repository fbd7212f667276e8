import { RetentionRun } from '@switchroom/contract/retention'
import { operator } from '../../http/access.ts'
import type { Server } from '../../http/server.ts'
import type { Retention } from './retention.ts'

export function retentionRoutes(server: Server, retention: Retention) {
  server.post(
    '/v1/ops/retention',
    {
      access: operator,
      schema: {
        summary: 'Forget now what the nightly run would: what is kept for some time only',
        response: { 200: RetentionRun },
      },
    },
    (request) => retention.runFor(request.operator),
  )
}
