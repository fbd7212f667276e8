import { Type, type Static } from 'typebox'
import { nullable } from './shapes.ts'

export const VerifyPhone = Type.Object({
  number: Type.String({ description: "the caller's own phone, such as +15550100100" }),
  code: Type.Optional(Type.String({ description: 'the six digits that were sent to it' })),
})
export type VerifyPhone = Static<typeof VerifyPhone>

export const PhoneCodeSent = Type.Object({
  number: Type.String(),
  verified: Type.Literal(false),
  expires_at: Type.Number({ description: 'epoch seconds' }),
})
export type PhoneCodeSent = Static<typeof PhoneCodeSent>

export const PhoneVerified = Type.Object({ number: Type.String(), verified: Type.Literal(true) })
export type PhoneVerified = Static<typeof PhoneVerified>

export const OwnPhone = Type.Object({
  number: nullable(Type.String({ description: 'null if there is none' })),
  verified: nullable(Type.Boolean({ description: 'false while its code is on the way' })),
})
export type OwnPhone = Static<typeof OwnPhone>
