import { Type, type Static } from 'typebox'
import { MintedKey } from './keys.ts'
import { RoleName, ScopeName, WantedRole } from './scope-schemas.ts'
import { anyOf, nullable, oneOf, Timestamp } from './shapes.ts'

export const memberStatuses = ['invited', 'active', 'disabled'] as const
export type MemberStatus = (typeof memberStatuses)[number]

export const Member = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  role: RoleName,
  agents: Type.Array(Type.String(), { description: 'empty means every agent of the org' }),
  status: oneOf(memberStatuses),
  scopes: Type.Array(ScopeName),
  operator: Type.Boolean(),
  production: Type.Boolean(),
  verified: Type.Boolean(),
})
export type Member = Static<typeof Member>

export const MemberList = Type.Object({ members: Type.Array(Member) })
export type MemberList = Static<typeof MemberList>

export const Invited = Type.Object({
  member: Member,
  token: nullable(Type.String({ description: 'null when only the mailbox of that address may hold it' })),
  expires_at: Timestamp,
  mailed: Type.Boolean(),
  link: nullable(Type.String()),
})
export type Invited = Static<typeof Invited>

export const InviteMember = Type.Object({
  email: Type.String(),
  name: Type.Optional(Type.String({ description: 'the text before @ when absent' })),
  role: WantedRole,
  agents: Type.Optional(Type.Array(Type.String())),
  production: Type.Optional(Type.Boolean()),
})
export type InviteMember = Static<typeof InviteMember>

/** Only the named fields change. */
export const ChangeMember = Type.Object({
  role: Type.Optional(WantedRole),
  agents: Type.Optional(Type.Array(Type.String())),
  status: Type.Optional(anyOf(['active', 'disabled'])),
  production: Type.Optional(Type.Boolean()),
})
export type ChangeMember = Static<typeof ChangeMember>

/** What the operator says of a new member; `operator` counts once the seat is taken. */
export const InviteAsOperator = Type.Object({
  email: Type.String(),
  name: Type.Optional(Type.String()),
  role: Type.Optional(WantedRole),
  agents: Type.Optional(Type.Array(Type.String())),
  production: Type.Optional(Type.Boolean()),
  operator: Type.Optional(Type.Boolean()),
})
export type InviteAsOperator = Static<typeof InviteAsOperator>

export const SetOperator = Type.Object({ operator: Type.Boolean() })
export type SetOperator = Static<typeof SetOperator>

export const AcceptInvitation = Type.Object({
  password: Type.String(),
  device: Type.Optional(Type.String({ description: 'labels the key' })),
  keep_keys: Type.Optional(
    Type.Boolean({
      description:
        "true keeps the person's other keys; without it they end with the old password, and always when the link proves the address for the first time",
    }),
  ),
})
export type AcceptInvitation = Static<typeof AcceptInvitation>

export const AcceptedInvitation = Type.Interface([MintedKey], { member: Member })
export type AcceptedInvitation = Static<typeof AcceptedInvitation>
