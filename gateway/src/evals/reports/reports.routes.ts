import { ComparisonAsked, EvalComparison, EvalReport } from '@switchroom/contract/evals'
import { Type } from 'typebox'
import { scope } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { Reports } from './reports.ts'

const Params = Type.Object({ id: Type.String() })
const access = scope('evals')

export function reportRoutes(server: Server, reports: Reports) {
  server.get(
    '/v1/evals/runs/:id/report',
    {
      access,
      schema: {
        summary: 'What came of a run: by scenario and expectation, with latency, cost and failures',
        params: Params,
        response: { 200: EvalReport, ...refusals(404) },
      },
    },
    (request) => reports.read(request.caller, request.params.id),
  )

  server.get(
    '/v1/evals/runs/:id/comparison',
    {
      access,
      schema: {
        summary: 'A run beside an earlier one of the agent: what got better and what worse',
        params: Params,
        querystring: ComparisonAsked,
        response: { 200: EvalComparison, ...refusals(404) },
      },
    },
    (request) => reports.compare(request.caller, request.params.id, request.query.with),
  )
}
