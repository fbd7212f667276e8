import { ApprovedNumber, NumberParams, WaitingNumbers } from '@switchroom/contract/numbers'
import { operator } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { HookedApprovals } from './hooked-approvals.ts'

export function hookedApprovalRoutes(server: Server, approvals: HookedApprovals) {
  server.get(
    '/v1/ops/numbers',
    {
      access: operator,
      schema: { summary: 'Hooked numbers that wait for approval', response: { 200: WaitingNumbers } },
    },
    () => approvals.list(),
  )

  server.post(
    '/v1/ops/numbers/:number/approve',
    {
      access: operator,
      schema: {
        summary: 'Let a hooked number ring',
        params: NumberParams,
        response: { 200: ApprovedNumber, ...refusals(404) },
      },
    },
    (request) => approvals.approve(request.operator, request.params.number),
  )
}
