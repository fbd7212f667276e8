import { ContactParams } from '@switchroom/contract/erasure'
import { Nothing } from '@switchroom/contract/shapes'
import { scope } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { Erasure } from './erasure.ts'

export function erasureRoutes(server: Server, erasure: Erasure) {
  server.delete(
    '/v1/contacts/:contact',
    {
      access: scope('team'),
      schema: {
        summary: 'Erase a contact: what they said and what was stored about them, but not their consents',
        description:
          'In both environments; in the sandbox only without production access. A caller with a list of agents erases within it.',
        params: ContactParams,
        response: { 204: Nothing, ...refusals(404, 429) },
      },
    },
    async (request, reply) => {
      await erasure.erase(request.caller, request.params.contact)
      return reply.code(204).send()
    },
  )
}
