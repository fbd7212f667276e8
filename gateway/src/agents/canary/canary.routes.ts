import { AgentParams, CanaryView, ScopeAsked, SetCanary } from '@switchroom/contract/settings'
import { settingsScope } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { Canaries } from './canary.ts'

export function canaryRoutes(server: Server, canaries: Canaries) {
  server.get(
    '/v1/agents/:agent/settings/canary',
    {
      access: settingsScope('pipeline', 'words'),
      schema: {
        summary: "One scope's canary",
        params: AgentParams,
        querystring: ScopeAsked,
        response: { 200: CanaryView, ...refusals(404) },
      },
    },
    (request) => canaries.read(request.caller, request.params.agent, request.query),
  )

  server.put(
    '/v1/agents/:agent/settings/canary',
    {
      access: settingsScope('pipeline'),
      schema: {
        summary: 'Run a version of one scope on some calls in a hundred',
        params: AgentParams,
        body: SetCanary,
        response: { 200: CanaryView, ...refusals(404) },
      },
    },
    (request) => canaries.set(request.caller, request.params.agent, request.body),
  )

  server.delete(
    '/v1/agents/:agent/settings/canary',
    {
      access: settingsScope('pipeline'),
      schema: {
        summary: "End a canary: every call runs the scope's newest version",
        params: AgentParams,
        querystring: ScopeAsked,
        response: { 200: CanaryView, ...refusals(404) },
      },
    },
    (request) => canaries.end(request.caller, request.params.agent, request.query),
  )
}
