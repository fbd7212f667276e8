import { Type, type Static } from 'typebox'
import { anyOf, oneOf } from './shapes.ts'

export const plans = ['free', 'pro', 'enterprise'] as const
export type Plan = (typeof plans)[number]

/** What an org pays with. */
export const Account = Type.Object({
  plan: oneOf(plans),
  subscribed: Type.Boolean({ description: 'without it the voice server serves no speech' }),
  credits: Type.Number({
    description: 'one is a US cent; below zero if the last use cost more than was left',
  }),
})
export type Account = Static<typeof Account>

export const ReplaceAccount = Type.Object({
  plan: anyOf(plans),
  subscribed: Type.Boolean(),
  credits: Type.Number({ description: '0 or more' }),
})
export type ReplaceAccount = Static<typeof ReplaceAccount>
