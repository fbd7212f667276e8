import { WorkerAsked, WorkerConfig, WorkerHeaders, WorkerKeys } from '@switchroom/contract/calls'
import { AgentParams } from '@switchroom/contract/settings'
import { appOrFleet, vendorKeyReader } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { WorkerAnswers } from './worker.ts'

export function workerRoutes(server: Server, answers: WorkerAnswers) {
  server.get(
    '/v1/agents/:agent/config',
    {
      access: appOrFleet,
      schema: {
        summary: "An agent's configuration, as a worker builds a call from it",
        params: AgentParams,
        headers: WorkerHeaders,
        querystring: WorkerAsked,
        response: { 200: WorkerConfig, ...refusals(404, 429) },
      },
    },
    ({ caller, params, query }) => answers.config(caller, params.agent, query.for_call ?? null),
  )

  server.get(
    '/v1/agents/:agent/provider-keys',
    {
      access: vendorKeyReader,
      schema: {
        summary: "A call's three stages with their credentials",
        params: AgentParams,
        headers: WorkerHeaders,
        querystring: WorkerAsked,
        response: { 200: WorkerKeys, ...refusals(404, 429) },
      },
    },
    ({ caller, params, query }) => answers.providerKeys(caller, params.agent, query.for_call ?? null),
  )
}
