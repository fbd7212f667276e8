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

const peaks = () =>
  nullable(
    Type.Array(Type.Integer({ minimum: 0, maximum: 255 }), {
      description:
        'the loudest sample of each of up to 800 stretches of the same length; null if it is not known',
    }),
  )
export const Waveform = Type.Object({
  duration_ms: Type.Integer(),
  caller: peaks(),
  agent: peaks(),
})
export type Waveform = Static<typeof Waveform>

export const RecordedSound = Type.Unsafe<unknown>({ type: 'string', format: 'binary' })
