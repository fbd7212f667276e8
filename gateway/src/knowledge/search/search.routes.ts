import { MissedAsked, MissedQueries, SearchAnswer, SearchBase } from '@switchroom/contract/knowledge'
import { Type } from 'typebox'
import { scope } from '../../http/access.ts'
import { callerGone } from '../../http/caller-gone.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { AskedSearches } from './asked-searches.ts'
import type { Missed } from './missed.ts'

const Params = Type.Object({ base: Type.String() })
const access = scope('knowledge')

export function knowledgeSearchRoutes(server: Server, searches: AskedSearches, missed: Missed) {
  server.post(
    '/v1/bases/:base/search',
    {
      access,
      schema: {
        summary: 'Search a base',
        params: Params,
        body: SearchBase,
        response: { 200: SearchAnswer, ...refusals(400, 404, 429) },
      },
    },
    (request, reply) => searches.search(request.caller, request.params.base, request.body, callerGone(reply)),
  )

  server.get(
    '/v1/bases/:base/missed',
    {
      access,
      schema: {
        summary: 'What callers asked and the base had nothing for, newest first',
        params: Params,
        querystring: MissedAsked,
        response: { 200: MissedQueries, ...refusals(404) },
      },
    },
    (request) => missed.list(request.caller, request.params.base, request.query),
  )
}
