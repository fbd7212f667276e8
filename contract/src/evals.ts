import { Type, type Static, type TSchema } from 'typebox'
import {
  callEnders,
  evalOutcomes,
  evalRunStates,
  evalTargets,
  expectationKinds,
  mostAtOnce,
  mostTimes,
  scenarioKinds,
  toldLanguages,
} from './eval-names.ts'
import { EnvironmentName } from './scope-schemas.ts'
import { anyOf, nullable, oneOf, Timestamp, wholeNumberText } from './shapes.ts'

const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema)
const AnyObject = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, description })

/** What the caller of a scripted scenario does next: one of the two. */
export const ScriptedTurn = Type.Object({
  say: optional(Type.String({ description: '1 to 8000 characters' })),
  wait_s: optional(Type.Number({ description: 'the caller says nothing for so long: 0 to 600' })),
})
export type ScriptedTurn = Static<typeof ScriptedTurn>

/** An entry of the log, in the order in which they are expected: one of the two. */
export const OrderedEntry = Type.Object({
  type: optional(Type.String({ description: 'the type of an entry, such as `agent.message`' })),
  tool: optional(Type.String({ description: 'a tool that is called' })),
})
export type OrderedEntry = Static<typeof OrderedEntry>

/** What must hold after the call: exactly one of `tool`, `no_tool`, `order` and the others. */
export const Expectation = Type.Object({
  tool: optional(Type.String({ description: 'the tool is called, with `arguments` if they are given' })),
  arguments: optional(AnyObject('beside `tool`: a JSON schema that the arguments of one call match')),
  times: optional(Type.Integer({ description: 'beside `tool`: exactly so many such calls' })),
  no_tool: optional(Type.String({ description: 'the tool is not called' })),
  order: optional(Type.Array(OrderedEntry, { description: 'the log has these entries in this order' })),
  said: optional(Type.String({ description: 'a message matches this pattern, in the syntax of RE2' })),
  not_said: optional(Type.String({ description: 'no message matches this pattern' })),
  by: optional(anyOf(['agent', 'caller'], 'beside `said` and `not_said`: whose messages; default agent')),
  transferred_to: optional(Type.String({ description: 'the agent transfers the call to this number' })),
  ended_by: optional(anyOf(callEnders, 'who ends the call')),
  latency_below_ms: optional(
    Type.Number({ description: 'every answer begins sooner after what it answers' }),
  ),
  language: optional(anyOf(toldLanguages, 'the language of what the agent says')),
})
export type Expectation = Static<typeof Expectation>

const definition = {
  name: Type.String({ description: 'lower-case letters, digits and dashes, at most 64' }),
  description: optional(Type.String({ description: 'at most 500 characters' })),
  metadata: optional(AnyObject('handed to the agent as `call.metadata`; at most 4096 bytes')),
  turns: Type.Array(ScriptedTurn, { description: 'what the caller does, 1 to 100' }),
  expect: Type.Array(Expectation, { description: 'what must hold after the call, 1 to 50' }),
}

/** Who calls, what they do, and what must hold. */
export const ScenarioDefinition = Type.Object(definition)
export type ScenarioDefinition = Static<typeof ScenarioDefinition>

export const CreateScenario = Type.Object({ agent: Type.String(), ...definition })
export type CreateScenario = Static<typeof CreateScenario>

export const ChangeScenario = Type.Object({
  ...definition,
  if_version: optional(Type.Integer({ description: 'the version that this one replaces; without it any' })),
})
export type ChangeScenario = Static<typeof ChangeScenario>

const scenarioHead = {
  id: Type.String(),
  agent: Type.String(),
  env: EnvironmentName,
  name: Type.String(),
  kind: oneOf(scenarioKinds),
  version: Type.Integer({ description: 'counted from 1 by its changes' }),
  author: Type.String(),
  changed_at: Timestamp,
}

export const Scenario = Type.Object({ ...scenarioHead, definition: ScenarioDefinition })
export type Scenario = Static<typeof Scenario>

export const ListedScenario = Type.Object({ ...scenarioHead, description: Type.String() })
export type ListedScenario = Static<typeof ListedScenario>

export const ScenarioList = Type.Object({
  scenarios: Type.Array(ListedScenario, { description: 'by agent and name' }),
})
export type ScenarioList = Static<typeof ScenarioList>

export const ScenariosAsked = Type.Object({ agent: optional(Type.String()) })
export type ScenariosAsked = Static<typeof ScenariosAsked>

export const ScenarioAsked = Type.Object({
  version: optional(wholeNumberText('an older version', { minimum: 1 })),
})
export type ScenarioAsked = Static<typeof ScenarioAsked>

export const StartRun = Type.Object({
  agent: Type.String(),
  scenarios: optional(
    Type.Array(Type.String(), {
      description: 'names of scenarios that are kept here; without these and `definitions` all of the agent',
    }),
  ),
  definitions: optional(
    Type.Array(ScenarioDefinition, { description: 'scenarios that the run brings along and nobody keeps' }),
  ),
  against: optional(
    anyOf(
      evalTargets,
      'whose settings: your draft or the team’s in the sandbox, those of production, or one version of the team’s or of production; default is what your calls run on',
    ),
  ),
  version: optional(Type.Integer({ description: 'with `against` version' })),
  times: optional(Type.Integer({ description: `calls with each scenario: 1 to ${mostTimes}; default 1` })),
  concurrency: optional(
    Type.Integer({ description: `calls at the same time: 1 to ${mostAtOnce}; default 5` }),
  ),
  voiced: optional(Type.Boolean({ description: 'only false: calls are written' })),
})
export type StartRun = Static<typeof StartRun>

const counts = {
  total: Type.Integer({ description: 'calls of the run' }),
  passed: Type.Integer(),
  failed: Type.Integer({ description: 'an expectation does not hold' }),
  errors: Type.Integer({ description: 'the call could not be held to its end' }),
  cancelled: Type.Integer(),
}

export const EvalRun = Type.Object({
  id: Type.String(),
  agent: Type.String(),
  env: EnvironmentName,
  state: oneOf(evalRunStates),
  against: oneOf(evalTargets),
  config_version: nullable(
    Type.Integer({ description: 'the version of the settings that every call of the run has' }),
  ),
  voiced: Type.Boolean(),
  times: Type.Integer(),
  concurrency: Type.Integer(),
  counts: Type.Object(counts),
  created_by: Type.String(),
  created_at: Timestamp,
  finished_at: nullable(Timestamp),
})
export type EvalRun = Static<typeof EvalRun>

export const RunList = Type.Object({
  runs: Type.Array(EvalRun, { description: 'newest first' }),
  next: nullable(Type.String({ description: 'null on the last page' })),
})
export type RunList = Static<typeof RunList>

export const RunsAsked = Type.Object({
  agent: optional(Type.String()),
  after: optional(Type.String({ description: 'the `next` of the page before' })),
  limit: optional(wholeNumberText('1 to 100; default 50', { minimum: 1, maximum: 100, default: 50 })),
})
export type RunsAsked = Static<typeof RunsAsked>

/** Whether an expectation holds, why, and the entries of the call's log that say so. */
export const Verdict = Type.Object({
  kind: oneOf(expectationKinds),
  text: Type.String({ description: 'the expectation in words' }),
  answer: oneOf(['yes', 'no', 'unclear']),
  why: Type.String(),
  seqs: Type.Array(Type.Integer(), { description: "entries of the call's log" }),
})
export type Verdict = Static<typeof Verdict>

export const Attempt = Type.Object({
  id: Type.String(),
  scenario: Type.String(),
  number: Type.Integer({ description: 'which of the calls with this scenario, from 1' }),
  state: oneOf(['waiting', 'running', 'settled']),
  outcome: nullable(oneOf(evalOutcomes)),
  why: nullable(Type.String({ description: 'of an error' })),
  call: nullable(Type.String({ description: 'its call: GET /v1/calls/{call}/events has the log' })),
  verdicts: Type.Array(Verdict),
  latencies_ms: Type.Array(Type.Integer(), { description: 'of each answer of the agent' }),
  credits: Type.Number({ description: 'what the call cost' }),
  settled_at: nullable(Timestamp),
})
export type Attempt = Static<typeof Attempt>

export const AttemptsAsked = Type.Object({
  outcome: optional(anyOf(evalOutcomes)),
  scenario: optional(Type.String()),
  after: optional(Type.String({ description: 'the `next` of the page before' })),
  limit: optional(wholeNumberText('1 to 200; default 100', { minimum: 1, maximum: 200, default: 100 })),
})
export type AttemptsAsked = Static<typeof AttemptsAsked>

export const AttemptPage = Type.Object({
  attempts: Type.Array(Attempt, { description: 'in the order of the run' }),
  next: nullable(Type.String({ description: 'null on the last page' })),
})
export type AttemptPage = Static<typeof AttemptPage>

/** A share with the interval in which it lies, 95 times in a hundred (Wilson). */
export const Rate = Type.Object({
  passed: Type.Integer(),
  of: Type.Integer(),
  rate: nullable(Type.Number({ description: 'null while nothing is settled' })),
  low: nullable(Type.Number()),
  high: nullable(Type.Number()),
})
export type Rate = Static<typeof Rate>

const ReportedExpectation = Type.Object({
  kind: oneOf(expectationKinds),
  text: Type.String(),
  pass: Rate,
  unclear: Type.Integer(),
})

const Failure = Type.Object({
  attempt: Type.String(),
  scenario: Type.String(),
  outcome: oneOf(['failed', 'error']),
  expectation: nullable(Type.String({ description: 'null if the call had an error' })),
  why: Type.String(),
  call: nullable(Type.String()),
  seq: nullable(Type.Integer({ description: "the entry of the call's log to look at" })),
})

export const EvalReport = Type.Object({
  run: EvalRun,
  pass: Rate,
  scenarios: Type.Array(
    Type.Object({
      name: Type.String(),
      kind: oneOf(scenarioKinds),
      version: nullable(Type.Integer({ description: 'null if the run brought it along' })),
      pass: Rate,
      expectations: Type.Array(ReportedExpectation),
    }),
  ),
  latency: Type.Object({
    answers: Type.Integer(),
    p50_ms: nullable(Type.Integer()),
    p90_ms: nullable(Type.Integer()),
    p99_ms: nullable(Type.Integer()),
    max_ms: nullable(Type.Integer()),
  }),
  credits: Type.Number(),
  failures: Type.Array(Failure, { description: 'the first 200' }),
})
export type EvalReport = Static<typeof EvalReport>

const sides = { before: Rate, after: Rate }

/** A run beside an earlier one. */
export const EvalComparison = Type.Object({
  before: EvalRun,
  after: EvalRun,
  pass: Type.Object(sides),
  is_significant: Type.Boolean({
    description: 'whether the share of passes differs by more than chance (two-sided, 5 in a hundred)',
  }),
  scenarios: Type.Array(
    Type.Object({
      name: Type.String(),
      change: oneOf(['better', 'worse', 'same', 'new', 'gone']),
      ...sides,
    }),
    { description: 'what got worse first' },
  ),
  latency_p50_ms: Type.Object({
    before: nullable(Type.Integer()),
    after: nullable(Type.Integer()),
  }),
  credits: Type.Object({ before: Type.Number(), after: Type.Number() }),
})
export type EvalComparison = Static<typeof EvalComparison>

export const ComparisonAsked = Type.Object({
  with: Type.String({ description: 'the run before' }),
})
export type ComparisonAsked = Static<typeof ComparisonAsked>

/** Sent whenever a call of the run has settled, and when the run is over. */
export interface RunProgress {
  run: EvalRun
}

export const RunStreamed = Type.String({
  description: 'server-sent events `progress`, each with the run as JSON: {"run": …}',
})
