import { AgentParams, SetSettings, SettingsView } from '@switchroom/contract/settings'
import { settingsScope } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { AgentSettings } from './settings.ts'

export function settingsRoutes(server: Server, settings: AgentSettings) {
  server.get(
    '/v1/agents/:agent/settings',
    {
      access: settingsScope('pipeline', 'words'),
      schema: {
        summary: "What an agent is set to: each scope's own newest version",
        params: AgentParams,
        response: { 200: SettingsView, ...refusals(404) },
      },
    },
    (request) => settings.read(request.caller, request.params.agent),
  )

  server.put(
    '/v1/agents/:agent/settings',
    {
      access: settingsScope('pipeline', 'words'),
      schema: {
        summary: 'Set an agent: a new version of one scope, tried before it is kept',
        params: AgentParams,
        body: SetSettings,
        response: { 200: SettingsView, ...refusals(404, 409, 429, 502) },
      },
    },
    (request) => settings.set(request.caller, request.params.agent, request.body),
  )
}
