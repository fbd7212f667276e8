import { AcceptedInvitation, AcceptInvitation } from '@switchroom/contract/members'
import { Type } from 'typebox'
import { open } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { Invitations } from './invitations.ts'

const Params = Type.Object({ token: Type.String() })

export function invitationRoutes(server: Server, invitations: Invitations) {
  server.post(
    '/v1/invitations/:token',
    {
      access: open,
      schema: {
        summary: 'Choose a password, join the org and get a key',
        params: Params,
        body: AcceptInvitation,
        response: { 200: AcceptedInvitation, ...refusals(400, 403, 404, 503) },
      },
    },
    (request) => invitations.accept(request.params.token, request.body, request.clientAddress),
  )
}
