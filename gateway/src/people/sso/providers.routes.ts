import { Nothing } from '@switchroom/contract/shapes'
import { DomainProof, IdentityProvider, SetIdentityProvider } from '@switchroom/contract/sso'
import { Type } from 'typebox'
import { scope } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { Domains } from './domains.ts'
import type { IdentityProviders } from './providers.ts'

const DomainParams = Type.Object({ domain: Type.String() })

export function identityProviderRoutes(server: Server, providers: IdentityProviders, domains: Domains) {
  server.get(
    '/v1/org/sso',
    {
      access: scope('team'),
      schema: { summary: "The org's identity provider", response: { 200: IdentityProvider } },
    },
    (request) => providers.read(request.caller.org),
  )

  server.put(
    '/v1/org/sso',
    {
      access: scope('team'),
      schema: {
        summary: "Set the org's identity provider, after its discovery document was read",
        body: SetIdentityProvider,
        response: { 200: IdentityProvider, ...refusals(409) },
      },
    },
    (request) => providers.set(request.caller, request.body),
  )

  server.delete(
    '/v1/org/sso',
    {
      access: scope('team'),
      schema: {
        summary: 'Delete the identity provider; members sign in with passwords again',
        response: { 204: Nothing, ...refusals(404) },
      },
    },
    async (request, reply) => {
      await providers.remove(request.caller)
      return reply.code(204).send()
    },
  )

  server.post(
    '/v1/org/sso/domains/:domain/verify',
    {
      access: scope('team'),
      schema: {
        summary: 'Read the TXT record of a domain now',
        params: DomainParams,
        response: { 200: DomainProof, ...refusals(404) },
      },
    },
    (request) => domains.verify(request.caller, request.params.domain),
  )
}
