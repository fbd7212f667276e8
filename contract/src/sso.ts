import { Type, type Static } from 'typebox'
import { RoleName, WantedRole } from './scope-schemas.ts'
import { nullable } from './shapes.ts'

export const SetIdentityProvider = Type.Object({
  issuer: Type.String({ description: 'https, and it answers OpenID Connect discovery' }),
  client_id: Type.String(),
  client_secret: Type.Optional(
    Type.String({
      description: 'write-only; left out or empty keeps the stored one of the same issuer and client',
    }),
  ),
  domains: Type.Array(Type.String(), { description: '1 to 20 domain names' }),
  role: Type.Optional(
    nullable({ ...WantedRole, description: 'seats an uninvited address of the domains with this role' }),
  ),
  required: Type.Optional(Type.Boolean({ description: 'require single sign-on' })),
})
export type SetIdentityProvider = Static<typeof SetIdentityProvider>

export const DomainProof = Type.Object({
  domain: Type.String(),
  txt: Type.String({ description: 'publish it as a TXT record at the domain' }),
  verified: Type.Boolean(),
})
export type DomainProof = Static<typeof DomainProof>

export const IdentityProvider = Type.Object({
  configured: Type.Boolean(),
  issuer: nullable(Type.String()),
  client_id: nullable(Type.String()),
  domains: Type.Array(Type.String()),
  role: nullable(RoleName),
  required: Type.Boolean(),
  redirect_uri: Type.String({ description: 'what to register at the provider' }),
  proofs: Type.Array(DomainProof),
})
export type IdentityProvider = Static<typeof IdentityProvider>

export const DiscoverProviders = Type.Object({ email: Type.String() })
export type DiscoverProviders = Static<typeof DiscoverProviders>

export const ProviderOrg = Type.Object({ org: Type.String(), slug: Type.String(), name: Type.String() })
export type ProviderOrg = Static<typeof ProviderOrg>

export const ProviderOrgList = Type.Object({ orgs: Type.Array(ProviderOrg) })
export type ProviderOrgList = Static<typeof ProviderOrgList>
