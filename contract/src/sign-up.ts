import { Type, type Static } from 'typebox'
import { MintedKey } from './keys.ts'
import { Member } from './members.ts'
import { Timestamp } from './shapes.ts'

export const SignUp = Type.Object({
  org: Type.String({ description: 'the slug wanted' }),
  name: Type.Optional(Type.String({ description: "the org's name; the slug when absent" })),
  email: Type.String(),
  person: Type.Optional(Type.String({ description: "the person's name; the text before @ when absent" })),
  password: Type.String(),
  device: Type.Optional(Type.String({ description: 'labels the key' })),
})
export type SignUp = Static<typeof SignUp>

export const SignedUp = Type.Object({ email: Type.String(), code_expires_at: Timestamp })
export type SignedUp = Static<typeof SignedUp>

export const VerifySignUp = Type.Object({
  email: Type.String(),
  code: Type.String({ description: 'six digits' }),
})
export type VerifySignUp = Static<typeof VerifySignUp>

export const VerifiedSignUp = Type.Interface([MintedKey], {
  slug: Type.String(),
  member: Member,
  login: Type.String({ description: 'a login code for the console' }),
})
export type VerifiedSignUp = Static<typeof VerifiedSignUp>

export const ResendSignUp = Type.Object({ email: Type.String() })
export type ResendSignUp = Static<typeof ResendSignUp>
