import { Type, type Static } from 'typebox'

export const StoredRecording = Type.Object({
  call: Type.String(),
  bytes: Type.Integer(),
  duration_ms: Type.Integer(),
})
export type StoredRecording = Static<typeof StoredRecording>

export const RecordedSound = Type.Unsafe<unknown>({ type: 'string', format: 'binary' })
