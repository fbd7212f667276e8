import { CreateServerToken, KeyList, RevokedKey, ServerToken } from '@switchroom/contract/keys'
import { Type } from 'typebox'
import { anyKey, personScope } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { Keys } from './keys.ts'

const Params = Type.Object({ fingerprint: Type.String() })

export function keyRoutes(server: Server, keys: Keys) {
  server.get(
    '/v1/keys',
    {
      access: anyKey,
      schema: {
        summary: "Every server token and your own keys; with the scope keys, every person's",
        response: { 200: KeyList },
      },
    },
    (request) => keys.list(request.caller),
  )

  server.post(
    '/v1/keys',
    {
      access: personScope('app'),
      schema: { summary: 'Make a server token', body: CreateServerToken, response: { 200: ServerToken } },
    },
    (request) => keys.create(request.caller, request.body),
  )

  server.post(
    '/v1/keys/:fingerprint/revoke',
    {
      access: anyKey,
      schema: {
        summary: 'Revoke a key and every copy of it',
        params: Params,
        response: { 200: RevokedKey, ...refusals(404) },
      },
    },
    (request) => keys.revoke(request.caller, request.params.fingerprint),
  )
}
