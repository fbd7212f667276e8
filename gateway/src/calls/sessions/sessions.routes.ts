import { CallParams } from '@switchroom/contract/calls'
import { CallSummary, SessionPage, SessionsAsked } from '@switchroom/contract/sessions'
import { scope } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { CallSummaries } from './call-summaries.ts'
import type { Sessions } from './sessions.ts'

export function sessionRoutes(server: Server, sessions: Sessions, callSummaries: CallSummaries) {
  server.get(
    '/v1/sessions',
    {
      access: scope('calls'),
      schema: {
        summary: "The org's calls, newest first",
        querystring: SessionsAsked,
        response: { 200: SessionPage, ...refusals(429) },
      },
    },
    (request) => sessions.list(request.caller, request.query),
  )

  server.get(
    '/v1/calls/:call/state',
    {
      access: scope('calls'),
      schema: {
        summary: "A call's state: its turns, tool calls, errors and usage",
        params: CallParams,
        response: { 200: CallSummary, ...refusals(404) },
      },
    },
    (request) => callSummaries.read(request.caller, request.params.call),
  )
}
