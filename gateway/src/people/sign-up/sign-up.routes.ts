import { ResendSignUp, SignedUp, SignUp, VerifiedSignUp, VerifySignUp } from '@switchroom/contract/sign-up'
import { Empty } from '@switchroom/contract/shapes'
import { unavailable } from '../../foundation/refusals.ts'
import { signUp } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { PlaceTries } from '../tries/tries.ts'
import type { SignUps } from './sign-up.ts'

export function signUpRoutes(
  server: Server,
  signUps: SignUps,
  placeTries: PlaceTries,
  canMail: () => Promise<boolean>,
) {
  const onRequest = async () => {
    if (!(await canMail())) throw unavailable('this deployment cannot mail, so it takes no sign-up')
  }

  server.post(
    '/v1/signup',
    {
      access: signUp,
      onRequest,
      preHandler: placeTries.countTry,
      schema: {
        summary: 'Sign up for an org; the address is mailed a code',
        body: SignUp,
        response: { 202: SignedUp, ...refusals(409, 429, 503) },
      },
    },
    async (request, reply) => reply.code(202).send(await signUps.begin(request.body, request.signUpAddress)),
  )

  server.post(
    '/v1/signup/verify',
    {
      access: signUp,
      onRequest,
      preHandler: placeTries.countTry,
      schema: {
        summary: 'Prove the address with the code and create the org',
        body: VerifySignUp,
        response: { 201: VerifiedSignUp, ...refusals(409, 429, 503) },
      },
    },
    async (request, reply) => reply.code(201).send(await signUps.verify(request.body, request.signUpAddress)),
  )

  server.post(
    '/v1/signup/resend',
    {
      access: signUp,
      onRequest,
      preHandler: placeTries.countTry,
      schema: {
        summary: 'Mail another code',
        body: ResendSignUp,
        response: { 202: Empty, ...refusals(429, 503) },
      },
    },
    async (request, reply) => {
      await signUps.resend(request.body, request.signUpAddress)
      return reply.code(202).send({})
    },
  )
}
