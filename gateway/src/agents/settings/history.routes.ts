import {
  AgentParams,
  DiffAsked,
  HistoryAsked,
  RollBack,
  SettingsDiff,
  SettingsHistory,
  SettingsView,
} from '@switchroom/contract/settings'
import { settingsScope } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { AgentHistory } from './history.ts'

export function historyRoutes(server: Server, history: AgentHistory) {
  server.get(
    '/v1/agents/:agent/settings/history',
    {
      access: settingsScope('pipeline', 'words'),
      schema: {
        summary: "One scope's versions, newest first",
        params: AgentParams,
        querystring: HistoryAsked,
        response: { 200: SettingsHistory, ...refusals(404) },
      },
    },
    (request) => history.list(request.caller, request.params.agent, request.query),
  )

  server.get(
    '/v1/agents/:agent/settings/diff',
    {
      access: settingsScope('pipeline', 'words'),
      schema: {
        summary: "What differs between one scope's newest version and another's",
        params: AgentParams,
        querystring: DiffAsked,
        response: { 200: SettingsDiff, ...refusals(404) },
      },
    },
    (request) => history.diff(request.caller, request.params.agent, request.query),
  )

  server.post(
    '/v1/agents/:agent/settings/rollback',
    {
      access: settingsScope('pipeline'),
      schema: {
        summary: 'Copy an old version forward',
        params: AgentParams,
        body: RollBack,
        response: { 200: SettingsView, ...refusals(404) },
      },
    },
    (request) => history.rollBack(request.caller, request.params.agent, request.body),
  )
}
