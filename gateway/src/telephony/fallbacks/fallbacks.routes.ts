import { NumberFallbacks, NumberParams, SetFallbacks } from '@switchroom/contract/numbers'
import { scope } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { Fallbacks } from './fallbacks.ts'

export function fallbackRoutes(server: Server, fallbacks: Fallbacks) {
  server.put(
    '/v1/numbers/:number/fallbacks',
    {
      access: scope('numbers'),
      schema: {
        summary: 'Name the accounts that calls from a number go out through if its own cannot carry them',
        params: NumberParams,
        body: SetFallbacks,
        response: { 200: NumberFallbacks, ...refusals(404, 409) },
      },
    },
    ({ caller, params, body }) => fallbacks.set(caller, params.number, body),
  )
}
