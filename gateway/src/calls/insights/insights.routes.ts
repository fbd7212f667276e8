import { Drift, DriftAsked } from '@switchroom/contract/calls'
import { scope } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { Drifts } from './drift.ts'

export function insightRoutes(server: Server, drifts: Drifts) {
  server.get(
    '/v1/insights/drift',
    {
      access: scope('calls'),
      schema: {
        summary: 'How two versions of an agent fared on the calls that ran them',
        querystring: DriftAsked,
        response: { 200: Drift, ...refusals(404, 429) },
      },
    },
    (request) => drifts.compare(request.caller, request.query),
  )
}
