import {
  AgentParams,
  HistoryAsked,
  LexiconHistory,
  LexiconView,
  SetLexicon,
} from '@switchroom/contract/settings'
import { settingsScope } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { Lexicons } from './lexicon.ts'

export function lexiconRoutes(server: Server, lexicons: Lexicons) {
  server.get(
    '/v1/agents/:agent/lexicon',
    {
      access: settingsScope('pipeline', 'words'),
      schema: {
        summary: "An agent's lexicon: each scope's own newest version",
        params: AgentParams,
        response: { 200: LexiconView, ...refusals(404) },
      },
    },
    (request) => lexicons.read(request.caller, request.params.agent),
  )

  server.put(
    '/v1/agents/:agent/lexicon',
    {
      access: settingsScope('pipeline', 'words'),
      schema: {
        summary: 'Set the whole lexicon: a new version of one scope',
        params: AgentParams,
        body: SetLexicon,
        response: { 200: LexiconView, ...refusals(404, 409, 429) },
      },
    },
    (request) => lexicons.set(request.caller, request.params.agent, request.body),
  )

  server.get(
    '/v1/agents/:agent/lexicon/history',
    {
      access: settingsScope('pipeline', 'words'),
      schema: {
        summary: "One scope's lexicons, newest first",
        params: AgentParams,
        querystring: HistoryAsked,
        response: { 200: LexiconHistory, ...refusals(404) },
      },
    },
    (request) => lexicons.history(request.caller, request.params.agent, request.query),
  )
}
