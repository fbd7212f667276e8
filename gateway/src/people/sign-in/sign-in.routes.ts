import { MintedKey } from '@switchroom/contract/keys'
import { Credentials, OpenOrgList, SignIn } from '@switchroom/contract/sign-in'
import { open } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import { browserIn } from '../login-codes/browser-cookie.ts'
import type { SignIns } from './sign-in.ts'
import type { PlaceTries } from '../tries/tries.ts'

export function signInRoutes(server: Server, signIns: SignIns, placeTries: PlaceTries) {
  server.post(
    '/v1/login',
    {
      access: open,
      preHandler: placeTries.countTry,
      schema: {
        summary: 'Sign in with an email and a password, or with a code',
        body: SignIn,
        response: { 200: MintedKey, ...refusals(401, 403, 404, 429, 503) },
      },
    },
    (request) => signIns.signIn(request.body, request.clientAddress, browserIn(request.headers.cookie)),
  )

  server.post(
    '/v1/login/orgs',
    {
      access: open,
      preHandler: placeTries.countTry,
      schema: {
        summary: 'The orgs this email and password open',
        body: Credentials,
        response: { 200: OpenOrgList, ...refusals(401, 429, 503) },
      },
    },
    (request) => signIns.orgs(request.body, request.clientAddress),
  )
}
