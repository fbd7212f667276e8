import { Type, type Static } from 'typebox'
import { nullable } from './shapes.ts'

export const Brand = Type.Object({
  name: Type.String(),
  logo_url: nullable(Type.String()),
  accent: Type.String({ description: '#rrggbb' }),
})
export type Brand = Static<typeof Brand>

export const Discovery = Type.Object({
  version: Type.String(),
  signup: Type.Boolean({ description: 'whether sign-up is open' }),
  min_password: Type.Integer({ description: '0 means no length rule' }),
  mail: Type.Boolean({ description: "whether the platform's own mailbox can send a letter" }),
  brand: Brand,
  social: Type.Boolean(),
})
export type Discovery = Static<typeof Discovery>

/** A field not named stays; an empty string restores its default. */
export const ChangeBrand = Type.Object({
  name: Type.Optional(Type.String({ description: 'one line of at most 60 characters' })),
  logo_url: Type.Optional(Type.String({ description: 'an https address' })),
  accent: Type.Optional(Type.String({ description: '#rrggbb' })),
})
export type ChangeBrand = Static<typeof ChangeBrand>

/** Platform-wide sign-in, which this version does not have. */
export const PlatformSignIn = Type.Object({
  provider: Type.Literal('social'),
  wired: Type.Literal(false),
  redirect_uri: Type.String(),
})
export type PlatformSignIn = Static<typeof PlatformSignIn>
