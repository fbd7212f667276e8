import { BringKey, BroughtKeys, KeyEnvironment } from '@switchroom/contract/providers'
import { Nothing } from '@switchroom/contract/shapes'
import { Type } from 'typebox'
import { scope } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { ProviderKeys } from './provider-keys.ts'

const Params = Type.Object({ vendor: Type.String() })

export function providerKeyRoutes(server: Server, keys: ProviderKeys) {
  server.get(
    '/v1/provider-keys',
    {
      access: scope('providers'),
      schema: {
        summary: 'The vendors that have a key of the org: for both environments, or only for the named one',
        querystring: KeyEnvironment,
        response: { 200: BroughtKeys },
      },
    },
    (request) => keys.list(request.caller.org, request.query.env),
  )

  server.put(
    '/v1/provider-keys/:vendor',
    {
      access: scope('providers'),
      schema: {
        summary: "Set the org's own key for a vendor; with env, only for that environment",
        params: Params,
        body: BringKey,
        response: { 200: BroughtKeys, ...refusals(429) },
      },
    },
    (request) => keys.put(request.caller, request.params.vendor, request.body),
  )

  server.delete(
    '/v1/provider-keys/:vendor',
    {
      access: scope('providers'),
      schema: {
        summary: "Put a vendor back on the platform's key",
        params: Params,
        querystring: KeyEnvironment,
        response: { 204: Nothing, ...refusals(404) },
      },
    },
    async (request, reply) => {
      await keys.remove(request.caller, request.params.vendor, request.query.env)
      return reply.code(204).send()
    },
  )
}
