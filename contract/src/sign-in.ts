import { Type, type Static } from 'typebox'
import { memberStatuses } from './members.ts'
import { MintedKey } from './keys.ts'
import { RoleName } from './scope-schemas.ts'
import { roles } from './scopes.ts'
import { nullable, oneOf, Timestamp } from './shapes.ts'

const optionalText = (description: string) => Type.Optional(nullable(Type.String({ description })))

/** With an email and a password, or with a code: which of the two is a rule, not a shape. */
export const SignIn = Type.Object({
  email: optionalText('with `password`'),
  password: optionalText('with `email`'),
  org: optionalText("an org's slug; without it, the first org the password opens"),
  code: optionalText('instead of `email` and `password`'),
  device: optionalText('labels the key'),
})
export type SignIn = Static<typeof SignIn>

export const Credentials = Type.Object({ email: Type.String(), password: Type.String() })
export type Credentials = Static<typeof Credentials>

export const OpenOrg = Type.Object({
  org: Type.String(),
  slug: Type.String(),
  name: Type.String(),
  role: RoleName,
})
export type OpenOrg = Static<typeof OpenOrg>

export const OpenOrgList = Type.Object({ orgs: Type.Array(OpenOrg) })
export type OpenOrgList = Static<typeof OpenOrgList>

export const AskReset = Type.Object({ email: Type.String() })
export type AskReset = Static<typeof AskReset>

export const LoginCode = Type.Object({ code: Type.String(), expires_at: Timestamp })
export type LoginCode = Static<typeof LoginCode>

export const OwnOrg = Type.Object({
  org: Type.String(),
  slug: Type.String(),
  name: Type.String(),
  role: oneOf([...roles, 'operator'] as const),
  status: nullable(oneOf(memberStatuses)),
  here: Type.Boolean({ description: 'this key is the one opening that org' }),
  member: Type.Boolean(),
})
export type OwnOrg = Static<typeof OwnOrg>

export const OwnOrgList = Type.Object({ orgs: Type.Array(OwnOrg) })
export type OwnOrgList = Static<typeof OwnOrgList>

export const SwitchOrg = Type.Object({ org: Type.String({ description: 'id or slug' }) })
export type SwitchOrg = Static<typeof SwitchOrg>

export const StartPairing = Type.Object({
  device: Type.Optional(Type.String()),
  collect: Type.Optional(
    Type.String({
      description:
        'SHA-256 of a secret of the terminal, as 64 hex digits: the key is then collected with that secret only',
    }),
  ),
})
export type StartPairing = Static<typeof StartPairing>

export const CollectHeaders = Type.Object({
  'svc-pairing-secret': Type.Optional(
    Type.String({ description: 'the secret whose SHA-256 was sent as `collect`' }),
  ),
})

export const Pairing = Type.Object({
  device: Type.String(),
  expires_at: Timestamp,
  answered: Type.Boolean(),
  bound: Type.Optional(
    Type.Literal(true, { description: 'only the terminal that began collects the key, with its secret' }),
  ),
})
export type Pairing = Static<typeof Pairing>

export const ApprovePairing = Type.Object({
  device: Type.Optional(Type.String()),
  org: Type.Optional(Type.String({ description: 'id or slug; the org of the key when absent' })),
  org_name: Type.Optional(Type.String({ description: 'the name the page says it signed in to' })),
})
export type ApprovePairing = Static<typeof ApprovePairing>

export const ApprovedPairing = Type.Object({
  device: Type.String(),
  org: Type.String(),
  org_name: nullable(Type.String()),
  expires_at: Timestamp,
  answered: Type.Literal(true),
})
export type ApprovedPairing = Static<typeof ApprovedPairing>

export const PairedKey = Type.Interface([MintedKey], {
  slug: Type.String(),
  org_name: nullable(Type.String()),
})
export type PairedKey = Static<typeof PairedKey>
