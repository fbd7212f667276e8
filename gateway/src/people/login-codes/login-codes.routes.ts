import { LoginCode } from '@switchroom/contract/sign-in'
import { anyKey } from '../../http/access.ts'
import type { Server } from '../../http/server.ts'
import type { LoginCodes } from './login-codes.ts'

export function loginCodeRoutes(server: Server, codes: LoginCodes) {
  server.post(
    '/v1/login/codes',
    {
      access: anyKey,
      schema: {
        summary: 'A code that signs a browser in with a copy of this key',
        response: { 200: LoginCode },
      },
    },
    (request) => codes.mint(request.caller),
  )
}
