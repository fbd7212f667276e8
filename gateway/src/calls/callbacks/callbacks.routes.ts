import { CallbackPage, CallbacksAsked } from '@switchroom/contract/callbacks'
import { scope } from '../../http/access.ts'
import type { Server } from '../../http/server.ts'
import type { Callbacks } from './callbacks.ts'

export function callbackRoutes(server: Server, callbacks: Callbacks) {
  server.get(
    '/v1/callbacks',
    {
      access: scope('calls'),
      schema: {
        summary: 'Requested callbacks, oldest first',
        querystring: CallbacksAsked,
        response: { 200: CallbackPage },
      },
    },
    (request) => callbacks.list(request.caller, request.query),
  )
}
