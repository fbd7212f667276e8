import { Type, type Static } from 'typebox'
import { nullable } from './shapes.ts'
import { VoiceEntry } from './speech.ts'

export const VoicesAsked = Type.Object({
  tts: Type.Optional(Type.String({ description: 'a vendor; default: the default one' })),
  language: Type.Optional(Type.String({ description: 'a tag such as en or pt-BR; its primary tag filters' })),
})
export type VoicesAsked = Static<typeof VoicesAsked>

export const VoiceList = Type.Object({
  tts: Type.String(),
  language: nullable(Type.String({ description: 'as asked' })),
  voices: Type.Array(VoiceEntry),
})
export type VoiceList = Static<typeof VoiceList>

/** Null is a blank knob, which a rule refuses in its own sentence. */
const knob = (description: string) => nullable(Type.String({ description }))

export const SampleVoice = Type.Object({
  tts: knob('a vendor'),
  voice: knob('one of its voices'),
  model: Type.Optional(knob('one of its models')),
  language: Type.Optional(knob('a tag such as en or pt-BR')),
  text: Type.Optional(knob('at most 400 characters; default: a sample of the language')),
})
export type SampleVoice = Static<typeof SampleVoice>

/** The WAV file itself. */
export const VoiceSample = Type.Unsafe<Buffer>({ type: 'string', format: 'binary' })
