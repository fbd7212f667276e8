import { Type, type Static } from 'typebox'
import { Entry } from './log.ts'
import { nullable } from './shapes.ts'

export const CallbacksAsked = Type.Object({
  agent: Type.Optional(Type.String()),
  after: Type.Optional(Type.String({ description: 'the `next` of the page before' })),
})
export type CallbacksAsked = Static<typeof CallbacksAsked>

export const CallbackPage = Type.Object({
  callbacks: Type.Array(Entry, { description: 'entries `callback.requested`, oldest first, 100 at most' }),
  next: nullable(Type.String({ description: 'null on the last page' })),
})
export type CallbackPage = Static<typeof CallbackPage>
