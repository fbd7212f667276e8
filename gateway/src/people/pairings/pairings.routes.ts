import {
  ApprovedPairing,
  ApprovePairing,
  CollectHeaders,
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
import type { PlaceTries } from '../tries/tries.ts'
import type { Pairings } from './pairings.ts'

const Params = Type.Object({ code: Type.String() })

export function pairingRoutes(server: Server, pairings: Pairings, placeTries: PlaceTries) {
  server.post(
    '/v1/login/pairings',
    {
      access: open,
      preHandler: placeTries.countTry,
      schema: {
        summary: 'Start the sign-in of a terminal: a code for the person to approve',
        body: StartPairing,
        response: { 200: LoginCode, ...refusals(400, 429) },
      },
    },
    (request) => pairings.start(request.body),
  )

  server.get(
    '/v1/login/pairings/:code',
    {
      access: open,
      preHandler: placeTries.countTry,
      schema: {
        summary: 'The terminal that waits for the approval of a code',
        params: Params,
        response: { 200: Pairing, ...refusals(404, 429) },
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
      preHandler: placeTries.countPoll,
      schema: {
        summary: "The terminal's key, once, after the approval",
        params: Params,
        headers: CollectHeaders,
        response: { 200: PairedKey, 202: Empty, ...refusals(403, 404, 429) },
      },
    },
    async (request, reply) => {
      const secret = request.headers['svc-pairing-secret'] ?? ''
      const key = await pairings.collect(request.params.code, secret, request.clientAddress)
      return key ? reply.send(key) : reply.code(202).send({})
    },
  )
}
