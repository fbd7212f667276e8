import { CallParams } from '@switchroom/contract/calls'
import { Supervise, Supervised } from '@switchroom/contract/supervising'
import { scope } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { Supervising } from './supervising.ts'

export function supervisingRoutes(server: Server, supervising: Supervising) {
  server.post(
    '/v1/calls/:call/verbs',
    {
      access: scope('talk'),
      schema: {
        summary: 'Take a call over, release it, say or whisper something in it, or end it',
        params: CallParams,
        body: Supervise,
        response: { 202: Supervised, ...refusals(404, 409) },
      },
    },
    async (request, reply) =>
      reply.code(202).send(await supervising.act(request.caller, request.params.call, request.body)),
  )
}
