import { Type, type Static } from 'typebox'
import { AppTool } from './apps.ts'
import { PreparedSet } from './call-frames.ts'
import { CallBase } from './knowledge.ts'
import type { Call } from './log.ts'
import { EnvironmentName } from './scope-schemas.ts'
import { orNull } from './settings.ts'
import { nullable } from './shapes.ts'

/** A worker opens a call that came in on a number, or takes one that a browser's request opened. */
export const OpenWorkerCall = Type.Object({
  number: Type.Optional(Type.String({ description: 'the number that was called' })),
  agent: Type.Optional(
    Type.String({
      description: "in place of number: the agent that a phone on the worker's own machine asked for by name",
    }),
  ),
  from: Type.Optional(Type.String({ description: 'the number that calls; empty if it is withheld' })),
  extension: Type.Optional(Type.String({ description: 'digits that came with the call' })),
  diverted_from: Type.Optional(
    Type.String({
      description: 'the number that sent the call on to this one: `diverted_from` of its metadata',
    }),
  ),
  overflow: Type.Optional(
    Type.Boolean({ description: 'no worker is free: the call ends at once and the caller is called back' }),
  ),
  call: Type.Optional(
    Type.String({
      description:
        "without number: the call to take; with it: the worker's own id for the new call, which opens it once",
    }),
  ),
  dry_run: Type.Optional(
    Type.Boolean({
      description: 'only say whether it would open: with number or agent, and no call is kept',
    }),
  ),
  worker: Type.Optional(
    Type.String({ maxLength: 128, description: 'the worker, so that it may ask again when no answer came' }),
  ),
})
export type OpenWorkerCall = Static<typeof OpenWorkerCall>

const OpenedLine = Type.Object({
  extensionMs: Type.Integer({ description: 'how long to collect digits before anything is said' }),
})

export const OpenedWorkerCall = Type.Object({
  call: Type.String(),
  org: Type.String(),
  env: EnvironmentName,
  agent: Type.String(),
  line: orNull(OpenedLine),
  traceparent: Type.Optional(
    Type.String({
      description: "where the call's spans belong (W3C Trace Context), if the call is traced",
    }),
  ),
  echo: Type.Optional(
    Type.Boolean({ description: 'it is the call of a test: nothing is opened, and the worker echoes' }),
  ),
})
export type OpenedWorkerCall = Static<typeof OpenedWorkerCall>

/** What was pressed while the extension window was open. */
export const DialledExtension = Type.Object({ digits: Type.String({ description: 'empty for none' }) })
export type DialledExtension = Static<typeof DialledExtension>

export const RunTools = Type.Object({
  msgId: Type.String(),
  text: Type.Optional(Type.String({ description: 'what the model said before it asked' })),
  calls: Type.Array(
    Type.Object({
      id: Type.String({ minLength: 1, maxLength: 200 }),
      name: Type.String({ minLength: 1 }),
      arguments: Type.String({ description: 'JSON, as the model wrote it' }),
    }),
    { minItems: 1, maxItems: 64 },
  ),
})
export type RunTools = Static<typeof RunTools>

/** What became of each, in the order they were asked for. */
export const ToolOutcomes = Type.Object({
  outcomes: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      ok: Type.Boolean(),
      text: Type.String({ description: 'what the model reads' }),
    }),
  ),
})
export type ToolOutcomes = Static<typeof ToolOutcomes>

export const PrepareTurn = Type.Object({
  turn: Type.Integer({ minimum: 1, description: 'counts the generations of the call from 1' }),
})
export type PrepareTurn = Static<typeof PrepareTurn>

export const PreparedTurn = Type.Object({ set: PreparedSet })
export type PreparedTurn = Static<typeof PreparedTurn>

/** What a call is run with beside its settings: what the app that drives it brings, and what is known of the contact. */
export const CallInstructions = Type.Object({
  prompt: nullable(Type.String()),
  tools: Type.Array(AppTool),
  contact: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'the party the call is with, as `memory.ops` names them; null if unknown',
  }),
  facts: Type.Array(Type.Object({ id: Type.String(), text: Type.String() })),
  send_audio_metrics: Type.Boolean(),
  bases: Type.Optional(Type.Array(CallBase, { description: 'absent if the settings name none' })),
  call: Type.Unsafe<Call>({
    type: 'object',
    additionalProperties: true,
    description: 'the call as agents see it',
  }),
})
export type CallInstructions = Static<typeof CallInstructions>
