import { OwnPhone, PhoneCodeSent, PhoneVerified, VerifyPhone } from '@switchroom/contract/own-phone'
import { Nothing } from '@switchroom/contract/shapes'
import { person } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { OwnPhones } from './own-phones.ts'

export function ownPhoneRoutes(server: Server, ownPhones: OwnPhones) {
  server.put(
    '/v1/line/from',
    {
      access: person,
      schema: {
        summary:
          'Prove that a phone is yours: first its number alone, then with the code that was sent to it',
        body: VerifyPhone,
        response: { 200: PhoneVerified, 202: PhoneCodeSent, ...refusals(403, 429, 502, 503) },
      },
    },
    async ({ caller, body: { number, code } }, reply) =>
      code === undefined
        ? reply.code(202).send(await ownPhones.sendCode(caller, number))
        : reply.send(await ownPhones.verify(caller, number, code)),
  )

  server.get(
    '/v1/line/from',
    {
      access: person,
      schema: { summary: 'The phone that you proved to be yours', response: { 200: OwnPhone } },
    },
    (request) => ownPhones.read(request.caller),
  )

  server.delete(
    '/v1/line/from',
    {
      access: person,
      schema: { summary: 'Remove your phone', response: { 204: Nothing } },
    },
    async (request, reply) => {
      await ownPhones.forget(request.caller)
      return reply.code(204).send()
    },
  )
}
