import { CallParams } from '@switchroom/contract/calls'
import { FoundPassages, SearchInCall } from '@switchroom/contract/knowledge'
import { scope } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { CallBases } from './call-bases.ts'

export function callBaseRoutes(server: Server, callBases: CallBases) {
  server.post(
    '/v1/calls/:call/search',
    {
      access: scope('app'),
      schema: {
        summary: 'Search a base for a call that your app drives; the call’s log says what was found',
        description:
          'A base that the settings of the call name, or any base with a key that opens `knowledge` as well.',
        params: CallParams,
        body: SearchInCall,
        response: { 200: FoundPassages, ...refusals(404, 409) },
      },
    },
    ({ caller, params, body }) => callBases.searchFor(caller, params.call, body),
  )
}
