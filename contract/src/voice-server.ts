import { Type, type Static } from 'typebox'
import { EnvironmentName } from './scope-schemas.ts'
import { VoiceEntry } from './speech.ts'
import { nullable, oneOf } from './shapes.ts'

// What a voice server asks of the gateway, with the fleet's key. It keeps nothing itself.

/** Why a voice server refuses, in its own shape; the gateway words it. */
export const voiceCodes = [
  'MISSING_KEY',
  'INVALID_KEY',
  'SUBSCRIPTION_REQUIRED',
  'INSUFFICIENT_CREDITS',
  'RATE_LIMITED',
  'BAD_REQUEST',
  'BAD_MODEL',
  'BAD_VOICE',
  'FORMAT_UNSUPPORTED',
  'DIARIZE_UNSUPPORTED',
] as const
export type VoiceCode = (typeof voiceCodes)[number]

export const VoiceRefusal = Type.Object({
  status: Type.Integer(),
  code: oneOf(voiceCodes),
  error: Type.String({ description: 'one sentence a person can act on' }),
  retry_after_s: Type.Optional(Type.Integer()),
})
export type VoiceRefusal = Static<typeof VoiceRefusal>

/** Uses of a voice server; each is counted by itself. */
export const voiceDoings = ['speech', 'voices', 'transcriptions', 'streams'] as const
export type VoiceDoing = (typeof voiceDoings)[number]

/** Who is calling: the bearer as it was presented, or none. Counts the request. */
export const AskEntry = Type.Object({
  doing: oneOf(voiceDoings),
  key: nullable(Type.String()),
})
export type AskEntry = Static<typeof AskEntry>

/** Org and key are empty if the key was refused. */
export const Entered = Type.Object({
  org: Type.String(),
  key_id: Type.String(),
  env: Type.Optional(EnvironmentName),
  refusal: Type.Optional(VoiceRefusal),
})
export type Entered = Static<typeof Entered>

/** What a request names, as far as it does. A caller who entered is named by `key_id`; any other enters by `key`. */
export const AskGrant = Type.Object({
  doing: oneOf(['speech', 'transcriptions', 'streams'] as const),
  key_id: Type.Optional(Type.String()),
  key: Type.Optional(nullable(Type.String({ description: 'the bearer as it was presented, or none' }))),
  model: nullable(Type.String()),
  language: nullable(Type.String()),
  voice: Type.Optional(Type.String()),
  characters: Type.Optional(Type.Integer({ minimum: 0, description: 'code points of the input' })),
  response_format: Type.Optional(Type.String()),
  speed: Type.Optional(Type.Number()),
  diarize: Type.Optional(Type.Boolean()),
  translate: Type.Optional(Type.Boolean({ description: 'the recording is to be heard as English' })),
  openai: Type.Optional(Type.Boolean({ description: "models and voices may have OpenAI's names" })),
})
export type AskGrant = Static<typeof AskGrant>

/** The vendor that serves a request, with all it is built from. */
export const Grant = Type.Object({
  /** Names what is settled; for speech its price is held until then. */
  id: Type.String(),
  vendor: Type.String(),
  model: Type.String(),
  builds: nullable(Type.String()),
  knobs: Type.Record(Type.String(), Type.Unknown()),
  options: Type.Record(Type.String(), Type.Unknown()),
  credentials: Type.Record(Type.String(), Type.Unsafe<string | number | boolean>({})),
  /** Whether the org's own key runs it, which costs nothing here. */
  is_own: Type.Boolean(),
})
export type Grant = Static<typeof Grant>

export const Granted = Type.Object({
  grant: Type.Optional(Grant),
  refusal: Type.Optional(VoiceRefusal),
})
export type Granted = Static<typeof Granted>

/** What became of a grant: how much is paid. Settled once, however often it is said. */
export const Settle = Type.Object({
  /** Speech: whether any of it is paid. Seconds of audio for what was heard. */
  spoken: Type.Optional(Type.Boolean()),
  seconds: Type.Optional(Type.Number({ minimum: 0 })),
})
export type Settle = Static<typeof Settle>

export const GrantParams = Type.Object({ grant: Type.String() })

/**
 * Streams that are open: which of their keys still open them. Asked every 30 seconds, for all at once; one
 * that was not asked about for 90 seconds no longer counts as open.
 */
export const AskStreams = Type.Object({
  streams: Type.Array(
    Type.Object({
      grant: Type.String(),
      seconds: Type.Number({
        minimum: 0,
        description: 'of audio so far, paid if nothing more is ever heard',
      }),
    }),
    { maxItems: 10_000 },
  ),
})
export type AskStreams = Static<typeof AskStreams>

export const StreamsJudged = Type.Object({
  refused: Type.Record(Type.String(), VoiceRefusal, {
    description: 'by grant; those that continue are left out',
  }),
})
export type StreamsJudged = Static<typeof StreamsJudged>

export const SpeechVoicesAsked = Type.Object({
  org: Type.String({ description: 'its id' }),
  env: Type.Optional(EnvironmentName),
  provider: Type.Optional(Type.String()),
  language: Type.Optional(Type.String({ description: 'its primary tag filters' })),
})
export type SpeechVoicesAsked = Static<typeof SpeechVoicesAsked>

const { language: _, ...entryFields } = VoiceEntry.properties

/** A voice with its vendor, and what it is called there. */
export const SpeechVoice = Type.Object({
  provider: Type.String(),
  alias: Type.String({ description: 'names the voice as provider/alias' }),
  ...entryFields,
  languages: Type.Array(Type.String(), { description: 'tags such as en or pt-BR; empty if unknown' }),
})
export type SpeechVoice = Static<typeof SpeechVoice>

/** By provider, then name. */
export const SpeechVoices = Type.Object({ voices: Type.Array(SpeechVoice) })
export type SpeechVoices = Static<typeof SpeechVoices>

export const SpeechModelsAsked = Type.Object({
  org: Type.String({ description: 'its id' }),
  env: Type.Optional(EnvironmentName),
})
export type SpeechModelsAsked = Static<typeof SpeechModelsAsked>

/** A model that an org may name at a voice server now: priced or listed, on its plan, with a key to run on. */
export const SpeechModel = Type.Object({
  id: Type.String({ description: 'provider/model, or a name of OpenAI that is mapped' }),
  provider: Type.String({ description: 'who runs it' }),
  does: oneOf(['speech', 'transcriptions'] as const),
})
export type SpeechModel = Static<typeof SpeechModel>

export const SpeechModels = Type.Object({ models: Type.Array(SpeechModel) })
export type SpeechModels = Static<typeof SpeechModels>
