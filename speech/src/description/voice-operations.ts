import type { Operation } from '@switchroom/contract/openapi/document'
import { CodedRefusal, oneOf } from '@switchroom/contract/shapes'
import { Type } from 'typebox'
import { openAiSoundForms } from '../sound/sound-forms.ts'
import { granularityNames, openAiFormats } from '../transcriptions/fields.ts'

// What the routes take and answer, for the description: they check what comes in sentences of their own.

const Language = Type.String({ description: 'a tag such as en or pt-BR' })
const Model = Type.String({ description: 'provider/model; default: what the platform chose' })

export const SpeechRequest = Type.Object({
  input: Type.String({ minLength: 1, maxLength: 5_000, description: 'the text to say' }),
  voice: Type.String({ description: 'provider/alias or an id of the voices' }),
  model: Type.Optional(Model),
  language: Type.Optional(Language),
  response_format: Type.Optional(oneOf(openAiSoundForms)),
  sample_rate: Type.Optional(
    Type.Unsafe<number>({ type: 'integer', enum: [16_000, 24_000], description: 'in hertz; default 16000' }),
  ),
  speed: Type.Optional(Type.Number({ minimum: 0.25, maximum: 4, description: 'default 1' })),
  timestamps: Type.Optional(
    Type.Boolean({ description: 'server-sent events with the times of words instead of the sound alone' }),
  ),
  stream_format: Type.Optional(oneOf(['audio', 'sse'])),
})

const VoiceLanguage = Type.Object({
  code: Type.String(),
  name: Type.String(),
  region: Type.Optional(Type.String()),
})

export const Voice = Type.Object({
  id: Type.String(),
  name: Type.String(),
  alias: Type.String({ description: 'names the voice as provider/alias' }),
  provider: Type.String(),
  gender: Type.Optional(Type.String()),
  style: Type.Optional(Type.String()),
  languages: Type.Array(VoiceLanguage),
  description: Type.Optional(Type.String()),
})

export const VoiceListing = Type.Object({
  success: Type.Literal(true),
  voices: Type.Array(Voice),
  total: Type.Integer(),
})

export const TranscriptionRequest = Type.Object({
  file: Type.Unsafe<unknown>({
    type: 'string',
    format: 'binary',
    contentMediaType: 'application/octet-stream',
    description: 'WAV, MP3, MP4, WebM, Ogg, FLAC, AAC, AIFF or AMR of up to 25 MB',
  }),
  model: Type.Optional(Model),
  language: Type.Optional(Language),
  diarize: Type.Optional(Type.Boolean({ description: 'tell speakers apart' })),
  response_format: Type.Optional(oneOf(openAiFormats)),
  stream: Type.Optional(Type.Boolean({ description: 'the text as it is found, as server-sent events' })),
  'timestamp_granularities[]': Type.Optional(Type.Array(oneOf(granularityNames))),
})

const times = {
  start: Type.Number({ description: 'seconds' }),
  end: Type.Number({ description: 'seconds' }),
  speaker: Type.Optional(Type.Integer()),
}

export const Transcription = Type.Object({
  text: Type.String(),
  language: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  duration: Type.Number({ description: 'seconds' }),
  model: Type.Optional(Type.String({ description: 'of verbose_json' })),
  words: Type.Optional(Type.Array(Type.Object({ word: Type.String(), ...times }))),
  segments: Type.Optional(Type.Array(Type.Object({ id: Type.Integer(), text: Type.String(), ...times }))),
})

export const SpeechModel = Type.Object({
  id: Type.String(),
  object: Type.Literal('model'),
  created: Type.Integer({ description: 'always 0: nothing says when a model was made' }),
  owned_by: Type.String({ description: 'the provider' }),
})

export const SpeechModelList = Type.Object({ object: Type.Literal('list'), data: Type.Array(SpeechModel) })

export const Health = Type.Object({ status: Type.Literal('ok') })

const Sound = Type.Unsafe<unknown>({ type: 'string', format: 'binary' })
const Text = Type.String()
const AnyDocument = Type.Unsafe<object>({ type: 'object', additionalProperties: true })

const refusals = (...statuses: number[]) =>
  Object.fromEntries(statuses.map((status) => [status, CodedRefusal]))
const keyed = [{ key: [] }]

/** What a transcription and a translation take and answer. */
const heard = {
  body: { content: { 'multipart/form-data': { schema: TranscriptionRequest } } },
  responses: {
    200: {
      content: {
        'application/json': { schema: Transcription },
        'text/plain': { schema: Text },
        'text/vtt': { schema: Text },
        'text/event-stream': { schema: Text },
      },
    },
    ...refusals(400, 401, 402, 413, 415, 429, 502, 503, 504),
  },
}

/** Every path but the socket of live transcription. */
export const voiceOperations: readonly Operation[] = [
  {
    id: 'createSpeech',
    method: 'POST',
    path: '/v1/audio/speech',
    tag: 'Speech',
    summary: 'Say a text',
    security: keyed,
    body: SpeechRequest,
    example: { input: 'Good morning.', voice: 'local/speaker', response_format: 'wav' },
    responses: {
      200: {
        content: {
          'audio/pcm': { schema: Sound },
          'audio/wav': { schema: Sound },
          'audio/mpeg': { schema: Sound },
          'audio/ogg': { schema: Sound },
          'audio/aac': { schema: Sound },
          'audio/flac': { schema: Sound },
          'text/event-stream': { schema: Text },
        },
      },
      ...refusals(400, 401, 402, 413, 415, 429, 502, 503),
    },
  },
  {
    id: 'createTranscription',
    method: 'POST',
    path: '/v1/audio/transcriptions',
    tag: 'Transcription',
    summary: 'Write down what is said in a file',
    security: keyed,
    ...heard,
  },
  {
    id: 'createTranslation',
    method: 'POST',
    path: '/v1/audio/translations',
    tag: 'Transcription',
    summary: 'Write down in English what is said in a file, with a model that can',
    security: keyed,
    ...heard,
  },
  {
    id: 'listModels',
    method: 'GET',
    path: '/v1/models',
    tag: 'Models',
    summary: 'The models of speech that the org may use',
    security: keyed,
    responses: { 200: SpeechModelList, ...refusals(401, 402, 429, 502, 503) },
  },
  {
    id: 'getModel',
    method: 'GET',
    path: '/v1/models/{model}',
    tag: 'Models',
    summary: 'One of these models',
    security: keyed,
    params: Type.Object({ model: Type.String({ description: 'as `GET /v1/models` names it' }) }),
    responses: { 200: SpeechModel, ...refusals(401, 402, 404, 429, 502, 503) },
  },
  {
    id: 'listVoices',
    method: 'GET',
    path: '/v1/audio/voices',
    tag: 'Voices',
    summary: 'The voices that the org may use',
    security: keyed,
    querystring: Type.Object({
      provider: Type.Optional(Type.String({ description: 'of this provider alone' })),
      language: Type.Optional(Type.String({ description: 'of this language alone' })),
    }),
    responses: { 200: VoiceListing, ...refusals(401, 402, 429, 502, 503) },
  },
  {
    id: 'getHealth',
    method: 'GET',
    path: '/healthz',
    tag: 'Deployment',
    summary: 'The process runs',
    security: [],
    responses: { 200: Health, ...refusals(400) },
  },
  {
    id: 'getOpenApi',
    method: 'GET',
    path: '/openapi.json',
    tag: 'Deployment',
    summary: 'This interface, as OpenAPI',
    security: [],
    responses: { 200: AnyDocument, ...refusals(400) },
  },
]

/** The names that the description gives to schemas. */
export const voiceSchemas = {
  SpeechRequest,
  Voice,
  VoiceListing,
  TranscriptionRequest,
  Transcription,
  SpeechModel,
  SpeechModelList,
  Health,
  CodedRefusal,
}
