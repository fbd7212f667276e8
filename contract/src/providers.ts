import { Type, type Static } from 'typebox'
import type { RetiringModel } from './retiring.ts'
import { environments } from './scopes.ts'
import { anyOf, nullable, oneOf } from './shapes.ts'
import { stages, type Stage } from './stages.ts'

/** Who ends the caller's turn: the speech-to-text vendor, the media framework, or a model on the worker. */
export const turnEnders = ['stt', 'framework', 'smart-turn'] as const

const texts = Type.Array(Type.String())

const VoiceFields = Type.Object({
  id: Type.String(),
  name: Type.Optional(Type.String({ description: 'default: the id' })),
  language: Type.Optional(nullable(Type.String())),
  description: Type.Optional(nullable(Type.String())),
  gender: Type.Optional(nullable(Type.String())),
  country: Type.Optional(nullable(Type.String())),
  accent: Type.Optional(nullable(Type.String())),
})
const RowVoice = Type.Unsafe<string | Static<typeof VoiceFields>>({
  ...VoiceFields,
  type: ['string', 'object'],
  description: 'an id, or a voice entry of which only the id is needed',
})

const Withheld = Type.Unsafe<string | string[]>({
  type: ['array', 'string'], // in this order: the serialiser takes a list for a string when that comes first
  items: { type: 'string' },
  description: 'ids or slugs of orgs, or `all`',
})

/** What the platform runs calls on, and what it withholds from which orgs. */
export const ProviderRow = Type.Object({
  defaults: Type.Object({
    llm: Type.String({ description: 'vendor/model' }),
    stt: Type.String({ description: 'vendor/model' }),
    tts: Type.String({ description: 'a vendor' }),
  }),
  fallbacks: Type.Object({ llm: texts, stt: texts, tts: texts }),
  models: Type.Record(Type.String(), texts, { description: 'by service/vendor; the first is its default' }),
  voices: Type.Record(Type.String(), Type.Record(Type.String(), Type.Array(RowVoice)), {
    description: 'by vendor, then by language',
  }),
  options: Type.Record(Type.String(), Type.Record(Type.String(), Type.Unknown()), {
    description: 'by service/vendor: keywords of its classes',
  }),
  end_of_turn: Type.Record(Type.String(), Type.String(), {
    description: `by vendor or vendor/model prefix: ${turnEnders.join(', ')}`,
  }),
  can_end_turn: Type.Array(Type.String(), { description: 'vendors or vendor/model prefixes' }),
  lines: Type.Record(Type.String(), Type.String(), { description: 'what a sample says, by language' }),
  judge: nullable(Type.String({ description: 'vendor/model' })),
  withheld: Type.Record(Type.String(), Withheld, { description: 'by vendor' }),
})
export type ProviderRow = Static<typeof ProviderRow>

export const availabilities = ['yours', 'offered', 'bring your own', 'broken'] as const
export type Availability = (typeof availabilities)[number]

const Retiring = Type.Object({
  stage: oneOf(stages),
  model: Type.String(),
  on: Type.String({ description: 'the day, as YYYY-MM-DD' }),
})

export const CatalogueEntry = Type.Object({
  name: Type.String(),
  does: Type.Unsafe<Stage[]>({ type: 'array', items: { type: 'string' } }),
  availability: oneOf(availabilities),
  ready: Type.Boolean({ description: 'whether a call could run on it now' }),
  broken: nullable(Type.String({ description: 'why it is broken' })),
  voices_listed: Type.Boolean({ description: 'whether GET /v1/voices lists its voices' }),
  retiring: Type.Optional(
    Type.Array(Type.Unsafe<RetiringModel>(Retiring), {
      description: 'its models that it switches off within sixty days; absent if there are none',
    }),
  ),
})
export type CatalogueEntry = Static<typeof CatalogueEntry>

export const Catalogue = Type.Object({
  providers: Type.Array(CatalogueEntry),
  defaults: ProviderRow.properties.defaults,
  models: ProviderRow.properties.models,
})
export type Catalogue = Static<typeof Catalogue>

/** Exactly one of the two. */
export const BringKey = Type.Object({
  key: Type.Optional(Type.String({ description: 'write-only' })),
  credentials: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'write-only: 1 to 8 short scalars' }),
  ),
  env: Type.Optional(anyOf(environments, 'the only environment it runs in; without it, both')),
  try: Type.Optional(
    Type.Boolean({
      description: 'ask the vendor for something small first, and keep nothing that it refuses',
    }),
  ),
})
export type BringKey = Static<typeof BringKey>

export const KeyEnvironment = Type.Object({
  env: Type.Optional(anyOf(environments, 'the keys of that environment alone')),
})

export const BroughtKeys = Type.Object({
  vendors: Type.Array(Type.String()),
  untried: Type.Optional(
    Type.String({ description: 'why a key that was to be tried is kept untried; absent otherwise' }),
  ),
})
export type BroughtKeys = Static<typeof BroughtKeys>
