import { AskReset } from '@switchroom/contract/sign-in'
import { Empty } from '@switchroom/contract/shapes'
import { open } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { PlaceTries } from '../tries/tries.ts'
import type { Resets } from './resets.ts'

export function resetRoutes(server: Server, resets: Resets, placeTries: PlaceTries) {
  server.post(
    '/v1/login/reset',
    {
      access: open,
      preHandler: placeTries.countTry,
      schema: {
        summary: 'Mail a link with which to choose a new password',
        body: AskReset,
        response: { 202: Empty, ...refusals(429) },
      },
    },
    async (request, reply) => {
      await resets.ask(request.body, request.clientAddress)
      return reply.code(202).send({})
    },
  )
}
