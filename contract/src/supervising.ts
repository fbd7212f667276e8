import { Type, type Static } from 'typebox'
import { callStates } from './log.ts'
import { anyOf, oneOf } from './shapes.ts'

/** What a supervisor may do in a call. */
export const verbs = ['takeover', 'release', 'say', 'whisper', 'end'] as const
export type Verb = (typeof verbs)[number]

export const Supervise = Type.Object({
  verb: anyOf(verbs),
  text: Type.Optional(
    Type.String({
      description:
        'with `say` what the caller gets, with `whisper` what the model alone reads: 1 to 8000 characters',
    }),
  ),
})
export type Supervise = Static<typeof Supervise>

export const Supervised = Type.Object({
  call: Type.String(),
  verb: oneOf(verbs),
  state: oneOf(callStates),
})
export type Supervised = Static<typeof Supervised>
