import { Type, type Static } from 'typebox'
import { nullable } from './shapes.ts'

export const StoredRecording = Type.Object({
  call: Type.String(),
  bytes: Type.Integer(),
  duration_ms: Type.Integer(),
})
export type StoredRecording = Static<typeof StoredRecording>

export const RecordingLink = Type.Object({
  url: nullable(
    Type.String({
      description:
        'takes `Range`; null if recordings are kept in a folder, which is read through the gateway',
    }),
  ),
  expires_at: nullable(Type.Integer({ description: 'epoch seconds' })),
})
export type RecordingLink = Static<typeof RecordingLink>

export const RecordedSound = Type.Unsafe<unknown>({ type: 'string', format: 'binary' })
