import { DialPage, DialsAsked, ExplainAsked, ExplainedDial } from '@switchroom/contract/dialling'
import { AgentParams } from '@switchroom/contract/settings'
import { scope } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { DialDecisions } from './dial-decisions.ts'
import type { DialLedger } from './ledger.ts'

export function diallingRoutes(server: Server, decisions: DialDecisions, ledger: DialLedger) {
  server.get(
    '/v1/agents/:agent/dial/explain',
    {
      access: scope('talk'),
      schema: {
        summary:
          'The answer a dial would get now, guard by guard with what each saw; nothing is dialled or counted',
        params: AgentParams,
        querystring: ExplainAsked,
        response: { 200: ExplainedDial, ...refusals(404) },
      },
    },
    (request) => decisions.explain(request.caller, request.params.agent, request.query),
  )

  server.get(
    '/v1/org/dials',
    {
      access: scope('calls'),
      schema: {
        summary: 'Every dial that was asked for, taken or refused, newest first',
        querystring: DialsAsked,
        response: { 200: DialPage },
      },
    },
    (request) => ledger.list(request.caller, request.query),
  )
}
