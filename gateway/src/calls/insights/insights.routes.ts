import { Drift, DriftAsked } from '@switchroom/contract/calls'
import { Overview, OverviewAsked } from '@switchroom/contract/insights'
import { scope } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { Drifts } from './drift.ts'
import type { Overviews } from './overview.ts'

export function insightRoutes(server: Server, drifts: Drifts, overviews: Overviews) {
  server.get(
    '/v1/insights/overview',
    {
      access: scope('calls'),
      schema: {
        summary: 'What the calls of a period come to, beside the period before',
        querystring: OverviewAsked,
        response: { 200: Overview, ...refusals(400, 404) },
      },
    },
    (request) => overviews.read(request.caller, request.query),
  )

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
