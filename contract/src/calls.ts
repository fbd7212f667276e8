import { Type, type Static } from 'typebox'
import { EnvironmentName } from './scope-schemas.ts'
import {
  AnyConfig,
  Lexicon,
  LexiconRow,
  orNull,
  SettingsRow,
  type EndOfTurn,
  type Options,
} from './settings.ts'
import { anyOf, flagText, nullable, oneOf } from './shapes.ts'

/** What a call opened by a request may come in by. */
export const openableChannels = ['chat', 'web'] as const
export type Channel = (typeof openableChannels)[number]

/** The id of a call in a path. */
export const CallParams = Type.Object({ call: Type.String() })

export const OpenCall = Type.Object({
  agent: Type.String(),
  channel: Type.Optional(anyOf(openableChannels, 'default web')),
})
export type OpenCall = Static<typeof OpenCall>

export const OpenedCall = Type.Object({ call: Type.String(), agent: Type.String(), env: EnvironmentName })
export type OpenedCall = Static<typeof OpenedCall>

/** What a call runs on, as its head row recorded it. */
export const CallSettings = Type.Object({
  config_version: nullable(Type.Integer()),
  lexicon_version: nullable(Type.Integer()),
  config: orNull(SettingsRow),
  lexicon: orNull(LexiconRow),
  canary: Type.Boolean({ description: 'whether a canary picked the call' }),
})
export type CallSettings = Static<typeof CallSettings>

/** What the platform's own workers say beside their key. */
export const WorkerHeaders = Type.Object({
  'svc-org': Type.Optional(
    Type.String({ description: "with the fleet's key: the org, by id or slug, unless for_call is known" }),
  ),
})

export const WorkerAsked = Type.Object({
  for_call: Type.Optional(Type.String({ description: 'the call about to open' })),
})
export type WorkerAsked = Static<typeof WorkerAsked>

/** Whose key a stage runs on: `none` is a vendor that needs no key, or one that no key would run. */
export const stageKeys = ['yours', 'lent', 'none'] as const
export type StageKey = (typeof stageKeys)[number]

const AnyOptions = Type.Unsafe<Options>({
  type: 'object',
  additionalProperties: true,
  description: "the set's options over the platform's",
})

const stageFields = {
  vendor: Type.String(),
  model: Type.String(),
  builds: nullable(Type.String({ description: "a class of the vendor's plugin other than its default" })),
  options: AnyOptions,
  key: oneOf(stageKeys),
}
const Temperature = nullable(Type.Number())
const Language = nullable(Type.String())
const EndsTurn = Type.Unsafe<EndOfTurn>({ type: 'string' })

const LlmStage = Type.Object({ ...stageFields, temperature: Temperature })
const SttStage = Type.Object({ ...stageFields, language: Language, end_of_turn: EndsTurn })
const TtsStage = Type.Object({ ...stageFields, language: Language, voice: nullable(Type.String()) })

export const judgeChoosers = ['class', 'agent', 'org', 'platform'] as const

/** All that a worker needs to run an agent, and no secret. */
export const WorkerConfig = Type.Object({
  agent: Type.String(),
  world: EnvironmentName,
  call: nullable(Type.String()),
  config_version: nullable(Type.Integer()),
  lexicon_version: nullable(Type.Integer()),
  canary: Type.Boolean(),
  fixed: Type.Array(Type.String(), { description: 'what the class that holds the agent declares' }),
  config: AnyConfig,
  lexicon: Lexicon,
  stages: Type.Object({ llm: LlmStage, stt: orNull(SttStage), tts: orNull(TtsStage) }),
  judge: Type.Object({
    vendor: Type.String(),
    model: Type.String(),
    builds: nullable(Type.String()),
    options: AnyOptions,
    from: oneOf(judgeChoosers),
  }),
})
export type WorkerConfig = Static<typeof WorkerConfig>

const HandedVendor = Type.Object({
  vendor: Type.String(),
  model: Type.String(),
  key: oneOf(stageKeys),
  credentials: Type.Record(Type.String(), Type.Unsafe<string | number | boolean>({})),
})
export type HandedVendor = Static<typeof HandedVendor>

const StandIn = Type.Object({ ...HandedVendor.properties, options: Type.Optional(AnyOptions) })

const HandedStage = Type.Object({
  ...HandedVendor.properties,
  fallbacks: Type.Array(StandIn, { description: 'what takes over when it fails, in this order' }),
})
export type HandedStage = Static<typeof HandedStage>

/** The stages of a call with the credentials each runs on; null if a realtime model replaces one. */
export const WorkerKeys = Type.Object({
  agent: Type.String(),
  call: nullable(Type.String()),
  stages: Type.Object({ llm: HandedStage, stt: orNull(HandedStage), tts: orNull(HandedStage) }),
})
export type WorkerKeys = Static<typeof WorkerKeys>

export const DriftAsked = Type.Object({
  agent: Type.String(),
  before: Type.Optional(Type.String({ description: 'a version, as v3' })),
  after: Type.Optional(Type.String({ description: 'a version, as v4' })),
  team: Type.Optional(flagText('true or 1, false or 0')),
})
export type DriftAsked = Static<typeof DriftAsked>

const VersionFared = Type.Object({
  version: Type.Integer(),
  calls: Type.Integer(),
  errors: Type.Integer(),
  llm_timeouts: Type.Integer(),
  avg_duration_s: nullable(Type.Number({ description: 'of the calls that ended; null if none did' })),
})
export type VersionFared = Static<typeof VersionFared>

export const Drift = Type.Object({
  agent: Type.String(),
  world: EnvironmentName,
  before: VersionFared,
  after: VersionFared,
  fields: Type.Array(Type.String(), { description: 'the knobs that differ between the two' }),
})
export type Drift = Static<typeof Drift>
