import { CallParams, CallSettings, OpenCall, OpenedCall } from '@switchroom/contract/calls'
import { scope } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { CallRecords } from './records.ts'

export function callRoutes(server: Server, records: CallRecords) {
  server.post(
    '/v1/calls',
    {
      access: scope('talk'),
      schema: {
        summary: 'Open a call of an agent: it keeps running the versions that are current now',
        body: OpenCall,
        response: { 201: OpenedCall, ...refusals(404, 429) },
      },
    },
    async (request, reply) => reply.code(201).send(await records.open(request.caller, request.body)),
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
    (request) => records.settingsOf(request.caller, request.params.call),
  )
}
