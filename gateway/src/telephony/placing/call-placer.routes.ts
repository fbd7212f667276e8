import { WorkerHeaders } from '@switchroom/contract/calls'
import {
  DialCall,
  DialledCall,
  TransferAllowed,
  TransferAsked,
  TrunkAsked,
  TrunkForLeg,
} from '@switchroom/contract/placing'
import { AgentParams } from '@switchroom/contract/settings'
import { appOrFleet, scope } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { Legs } from './legs.ts'
import type { CallPlacer } from './call-placer.ts'

export function callPlacerRoutes(server: Server, callPlacer: CallPlacer, legs: Legs) {
  server.post(
    '/v1/agents/:agent/dial',
    {
      access: scope('talk'),
      schema: {
        summary: 'Have an agent call a number: answered before anything rings',
        description:
          'Every dial is judged by the guards that `GET /v1/agents/{agent}/dial/explain` shows, and is a row of `GET /v1/org/dials`, taken or refused. How the call went is in its log.',
        params: AgentParams,
        body: DialCall,
        response: { 202: DialledCall, ...refusals(404, 409, 429) },
      },
    },
    async ({ caller, params, body }, reply) =>
      reply.code(202).send(await callPlacer.dial(caller, params.agent, body)),
  )

  server.get(
    '/v1/agents/:agent/outbound-trunk',
    {
      access: appOrFleet,
      schema: {
        summary: 'The trunk through which a worker dials another number into a live call',
        headers: WorkerHeaders,
        params: AgentParams,
        querystring: TrunkAsked,
        response: { 200: TrunkForLeg, ...refusals(404, 409, 429) },
      },
    },
    ({ caller, params, query }) => legs.trunk(caller, params.agent, query),
  )

  server.post(
    '/v1/agents/:agent/cold-transfer',
    {
      access: appOrFleet,
      schema: {
        summary: 'Ask whether the caller of a live call may be sent on to another number',
        headers: WorkerHeaders,
        params: AgentParams,
        querystring: TransferAsked,
        response: { 200: TransferAllowed, ...refusals(404, 409, 429) },
      },
    },
    ({ caller, params, query }) => legs.transfer(caller, params.agent, query),
  )
}
