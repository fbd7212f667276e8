import { Type, type Static, type TSchema } from 'typebox'
import { AgentConfig } from './config-schema.ts'
import { knobs, type Knob, type knobTable } from './knobs.ts'
import type { ValueOf } from './knob-shapes.ts'
import { EnvironmentName } from './scope-schemas.ts'
import { anyOf, flagText, nullable, wholeNumberText } from './shapes.ts'

/** The knobs of one row, or of several laid over each other; an absent knob is not set. */
export type Config = { [Name in Knob]?: ValueOf<(typeof knobTable)[Name]['shape']> }
export type Options = Record<string, unknown>
export type EndOfTurn = NonNullable<Config['end_of_turn']>
export type Greeting = NonNullable<Config['greeting']>
export type AnsweringMachine = NonNullable<Config['answering_machine']>
export type Turn = NonNullable<Config['turn']>
export type Base = NonNullable<Config['bases']>[number]

/** The halves of a lexicon as a class declares them. */
export const declarableHalves = ['says', 'hears'] as const
export type DeclarableHalf = (typeof declarableHalves)[number]

/** How an agent is called: letters, digits, dashes and underscores. */
export const agentSlug = /^[a-z0-9][a-z0-9_-]{0,62}$/

/** The slug of an agent in a path. */
export const AgentParams = Type.Object({ agent: Type.String({ pattern: agentSlug.source }) })

export const AnyConfig = Type.Unsafe<Config>({
  type: 'object',
  additionalProperties: true,
  description: `the knobs that are set, of ${knobs.join(', ')}`,
  means: AgentConfig,
})

const rowFields = {
  holder: Type.String({ description: "a member's id, or empty for the org's own scope" }),
  version: Type.Integer(),
  author: Type.String(),
  note: nullable(Type.String()),
  set_at: Type.Integer({ description: 'epoch seconds' }),
}

export const SettingsRow = Type.Object({ ...rowFields, config: AnyConfig })
export type SettingsRow = Static<typeof SettingsRow>

/** An object in an answer, or null. */
export const orNull = <Row extends TSchema>(row: Row) =>
  Type.Unsafe<Static<Row> | null>({ ...row, nullable: true })

const viewOf = <Row extends TSchema>(row: Row) =>
  Type.Object({
    world: EnvironmentName,
    yours: orNull(row),
    team: orNull(row),
    production: orNull(row),
    fixed: Type.Array(Type.String(), { description: 'what the class that holds the agent declares' }),
  })

export const SettingsView = viewOf(SettingsRow)
export type SettingsView = Static<typeof SettingsView>

const setFields = {
  if_version: Type.Integer({ description: 'the version the scope is at; 0 for one that has none' }),
  note: Type.Optional(nullable(Type.String({ description: 'at most 500 characters' }))),
  team: Type.Optional(Type.Boolean({ description: "the org's own scope instead of yours" })),
}

export const SetSettings = Type.Object({ config: AnyConfig, ...setFields })
export type SetSettings = Static<typeof SetSettings>

export const Lexicon = Type.Object({
  said: Type.Array(Type.Object({ word: Type.String(), spoken: Type.String() }), {
    description: 'what the voice says in place of a word',
  }),
  heard: Type.Array(Type.String(), { description: 'words the ears must know' }),
})
export type Lexicon = Static<typeof Lexicon>

export const LexiconRow = Type.Object({ ...rowFields, lexicon: Lexicon })
export type LexiconRow = Static<typeof LexiconRow>

export const LexiconView = viewOf(LexiconRow)
export type LexiconView = Static<typeof LexiconView>

/** A half left out is empty: the set is the whole lexicon. */
export const SetLexicon = Type.Object({
  lexicon: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description: '{said: [{word, spoken}], heard: [word]}',
  }),
  ...setFields,
})
export type SetLexicon = Static<typeof SetLexicon>

const historyOf = <Row extends TSchema>(row: Row) =>
  Type.Object({ world: EnvironmentName, holder: Type.String(), versions: Type.Array(row) })

export const SettingsHistory = historyOf(SettingsRow)
export type SettingsHistory = Static<typeof SettingsHistory>
export const LexiconHistory = historyOf(LexiconRow)
export type LexiconHistory = Static<typeof LexiconHistory>

const TeamFlag = Type.Optional(flagText('true or 1, false or 0'))

export const ScopeAsked = Type.Object({ team: TeamFlag })
export type ScopeAsked = Static<typeof ScopeAsked>

export const HistoryAsked = Type.Object({
  team: TeamFlag,
  limit: Type.Optional(
    wholeNumberText('from 1 to 200; 50 by default', { minimum: 1, maximum: 200, default: 50 }),
  ),
})
export type HistoryAsked = Static<typeof HistoryAsked>

export const DiffAsked = Type.Object({
  against: Type.Optional(anyOf(['team', 'production'])),
  team: TeamFlag,
})
export type DiffAsked = Static<typeof DiffAsked>

export const SettingsDiff = Type.Object({
  world: EnvironmentName,
  against: Type.String(),
  version: nullable(Type.Integer()),
  against_version: nullable(Type.Integer()),
  fields: Type.Array(Type.String()),
  changes: Type.Record(Type.String(), Type.Object({ here: Type.Unknown(), there: Type.Unknown() })),
})
export type SettingsDiff = Static<typeof SettingsDiff>

export const RollBack = Type.Object({ version: Type.Integer(), team: Type.Optional(Type.Boolean()) })
export type RollBack = Static<typeof RollBack>

export const Canary = Type.Object({
  holder: Type.String(),
  version: Type.Integer(),
  share: Type.Integer({ description: 'calls in a hundred' }),
  author: Type.String(),
  note: nullable(Type.String()),
  set_at: Type.Integer({ description: 'epoch seconds' }),
})
export type Canary = Static<typeof Canary>

export const CanaryView = Type.Object({
  world: EnvironmentName,
  holder: Type.String(),
  canary: orNull(Canary),
})
export type CanaryView = Static<typeof CanaryView>

export const SetCanary = Type.Object({
  version: Type.Integer(),
  share: Type.Integer({ description: '0 to 100' }),
  note: Type.Optional(nullable(Type.String())),
  team: Type.Optional(Type.Boolean()),
})
export type SetCanary = Static<typeof SetCanary>

export const Judging = Type.Object({
  judge: nullable(Type.String({ description: 'as `llm` names a model; null clears the choice' })),
  judge_builds: Type.Optional(nullable(Type.String())),
  judge_options: Type.Optional(
    Type.Unsafe<Options | null>({ type: ['object', 'null'], additionalProperties: true }),
  ),
})
export type Judging = Static<typeof Judging>
