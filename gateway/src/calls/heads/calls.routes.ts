import { CallParams, CallSettings, OpenCall, OpenedCall } from '@switchroom/contract/calls'
import { scope } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { CallHeads } from './heads.ts'

export function callRoutes(server: Server, heads: CallHeads) {
  server.post(
    '/v1/calls',
    {
      access: scope('talk'),
      schema: {
        summary: 'Open a call of an agent: from now on it runs the versions that stand',
        body: OpenCall,
        response: { 201: OpenedCall, ...refusals(404, 429) },
      },
    },
    async (request, reply) => reply.code(201).send(await heads.open(request.caller, request.body)),
  )

  server.get(
    '/v1/calls/:call/settings',
    {
      access: scope('calls'),
      schema: {
        summary: 'The settings and the lexicon that a call runs on',
        params: CallParams,
        response: { 200: CallSettings, ...refusals(404) },
      },
    },
    (request) => heads.settingsOf(request.caller, request.params.call),
  )
}
