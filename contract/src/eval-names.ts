// Names only: svc loads this page without the schemas.

/** Which settings of an agent a run tests. */
export const evalTargets = ['yours', 'team', 'production', 'version'] as const
export type EvalTarget = (typeof evalTargets)[number]

export const scenarioKinds = ['scripted', 'played'] as const
export type ScenarioKind = (typeof scenarioKinds)[number]

export const evalRunStates = ['running', 'finished', 'cancelled'] as const
export type EvalRunState = (typeof evalRunStates)[number]

/** `failed`: an expectation does not hold; `error`: the call could not be held to its end. */
export const evalOutcomes = ['passed', 'failed', 'error', 'cancelled'] as const
export type EvalOutcome = (typeof evalOutcomes)[number]

/** Who ended a call. */
export const callEnders = ['caller', 'agent', 'person', 'timeout', 'failure'] as const
export type CallEnder = (typeof callEnders)[number]

/** What one expectation is about: the field that says so. */
export const expectationKinds = [
  'tool',
  'no_tool',
  'order',
  'said',
  'not_said',
  'transferred_to',
  'ended_by',
  'latency_below_ms',
  'language',
] as const
export type ExpectationKind = (typeof expectationKinds)[number]

/** The languages that an agent's words are told apart by. */
export const toldLanguages = [
  'ar',
  'ca',
  'de',
  'el',
  'en',
  'es',
  'fr',
  'he',
  'hi',
  'it',
  'ja',
  'ko',
  'nl',
  'pl',
  'pt',
  'ru',
  'sv',
  'th',
  'zh',
] as const
export type ToldLanguage = (typeof toldLanguages)[number]

/** The name of a scenario. */
export const scenarioNameForm = /^[a-z0-9][a-z0-9-]{0,63}$/

/** The most scenarios of an agent in one environment. */
export const mostScenarios = 1000
/** The most calls of one run: its scenarios, each as often as the run says. */
export const mostAttempts = 2000
/** The most calls of one run at the same time. */
export const mostAtOnce = 20
/** The most times that a run calls with each scenario. */
export const mostTimes = 50
/** The most runs of an org in one environment that have not finished. */
export const mostRunning = 10
/** JSON of one scenario is never longer. */
export const longestScenarioBytes = 32 * 1024
