import {
  ApprovedPairing,
  ApprovePairing,
  LoginCode,
  PairedKey,
  Pairing,
  StartPairing,
} from '@switchroom/contract/sign-in'
import { Empty } from '@switchroom/contract/shapes'
import { Type } from 'typebox'
import { open, person } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { Pairings } from './pairings.ts'

const Params = Type.Object({ code: Type.String() })

export function pairingRoutes(server: Server, pairings: Pairings) {
  server.post(
    '/v1/login/pairings',
    {
      access: open,
      schema: {
        summary: 'A word with which a terminal waits',
        body: StartPairing,
        response: { 200: LoginCode },
      },
    },
    (request) => pairings.start(request.body),
  )

  server.get(
    '/v1/login/pairings/:code',
    {
      access: open,
      schema: {
        summary: 'What waits behind a word',
        params: Params,
        response: { 200: Pairing, ...refusals(404) },
      },
    },
    (request) => pairings.read(request.params.code),
  )

  server.post(
    '/v1/login/pairings/:code',
    {
      access: person,
      schema: {
        summary: 'Sign the waiting terminal in as yourself',
        params: Params,
        body: ApprovePairing,
        response: { 200: ApprovedPairing, ...refusals(404, 409) },
      },
    },
    (request) => pairings.approve(request.caller, request.params.code, request.body),
  )

  server.get(
    '/v1/login/pairings/:code/key',
    {
      access: open,
      schema: {
        summary: "The terminal's key, once, after the approval",
        params: Params,
        response: { 200: PairedKey, 202: Empty, ...refusals(404) },
      },
    },
    async (request, reply) => {
      const key = await pairings.collect(request.params.code, request.place)
      return key ? reply.send(key) : reply.code(202).send({})
    },
  )
}
