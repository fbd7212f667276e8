import { Type, type Static } from 'typebox'
import { nullable } from './shapes.ts'

/** A voice as people choose it; a field that the vendor does not say is null. */
export const VoiceEntry = Type.Object({
  id: Type.String(),
  name: Type.String(),
  language: nullable(Type.String({ description: 'a tag such as en or pt-BR; null if it speaks several' })),
  description: nullable(Type.String()),
  gender: nullable(Type.String()),
  country: nullable(Type.String()),
  accent: nullable(Type.String()),
})
export type VoiceEntry = Static<typeof VoiceEntry>
