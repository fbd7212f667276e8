import { CallParams, WorkerHeaders } from '@switchroom/contract/calls'
import { AppendEntries, Appended } from '@switchroom/contract/log'
import { FoundPassages, LookUpInCall } from '@switchroom/contract/knowledge'
import { Nothing } from '@switchroom/contract/shapes'
import {
  CallInstructions,
  DialledExtension,
  OpenedWorkerCall,
  OpenWorkerCall,
  PreparedTurn,
  PrepareTurn,
  RunTools,
  ToolOutcomes,
} from '@switchroom/contract/worker'
import { openingWorker, worker } from '../../http/access.ts'
import { callerGone } from '../../http/caller-gone.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { EntryAppender } from './entry-appender.ts'
import type { WorkerRequests } from './worker-requests.ts'
import type { SpokenCallOpener } from './spoken-call-opener.ts'

export function spokenCallRoutes(
  server: Server,
  spokenCallOpener: SpokenCallOpener,
  entryAppender: EntryAppender,
  workerRequests: WorkerRequests,
) {
  server.post(
    '/v1/worker/calls',
    {
      access: openingWorker,
      schema: {
        summary: 'Open a call that came to a number, or take one that a browser opened',
        headers: WorkerHeaders,
        body: OpenWorkerCall,
        response: { 200: OpenedWorkerCall, 201: OpenedWorkerCall, ...refusals(404, 409, 429) },
      },
    },
    async ({ caller, body }, reply) =>
      reply.code(body.dry_run ? 200 : 201).send(await spokenCallOpener.open(caller, body)),
  )

  server.post(
    '/v1/calls/:call/events',
    {
      access: worker,
      schema: {
        summary: 'Append entries to the log of a call that you run; an empty list is a heartbeat',
        description:
          'A worker that sends nothing for 30 seconds counts as lost, and its call ends. The entries of one batch are stored together; a repeated batch is not stored again.',
        params: CallParams,
        body: AppendEntries,
        response: { 200: Appended, ...refusals(404, 409) },
      },
    },
    ({ caller, params, body }) => entryAppender.append(caller, params.call, body),
  )

  server.get(
    '/v1/calls/:call/instructions',
    {
      access: worker,
      schema: {
        summary:
          "A call's instructions beside its settings: the app's prompt and tools, and facts about the contact",
        params: CallParams,
        response: { 200: CallInstructions, ...refusals(404, 409, 503) },
      },
    },
    ({ caller, params }) => workerRequests.instructions(caller, params.call),
  )

  server.post(
    '/v1/calls/:call/tools',
    {
      access: worker,
      schema: {
        summary: 'Have the app run the tools that the model called; each id runs once, however often you ask',
        params: CallParams,
        body: RunTools,
        response: { 200: ToolOutcomes, ...refusals(404, 409) },
      },
    },
    ({ caller, params, body }) => workerRequests.runTools(caller, params.call, body),
  )

  server.post(
    '/v1/calls/:call/preparing',
    {
      access: worker,
      schema: {
        summary: 'Let the app prepare the next generation, within its budget',
        params: CallParams,
        body: PrepareTurn,
        response: { 200: PreparedTurn, ...refusals(404, 409) },
      },
    },
    ({ caller, params, body }) => workerRequests.prepare(caller, params.call, body),
  )

  server.post(
    '/v1/calls/:call/look-ups',
    {
      access: worker,
      schema: {
        summary: 'Look something up in a base that the settings of the call name',
        description:
          'With the `k` and `min_score` of the settings. Only what the agent of the call may search is found.',
        params: CallParams,
        body: LookUpInCall,
        response: { 200: FoundPassages, ...refusals(404, 409) },
      },
    },
    ({ caller, params, body }, reply) => workerRequests.lookUp(caller, params.call, body, callerGone(reply)),
  )

  server.post(
    '/v1/calls/:call/extension',
    {
      access: worker,
      schema: {
        summary: 'Report the digits that were dialled in the extension window of a line',
        params: CallParams,
        body: DialledExtension,
        response: { 204: Nothing, ...refusals(404, 409) },
      },
    },
    async ({ caller, params, body }, reply) => {
      await workerRequests.closeWindow(caller, params.call, body.digits)
      return reply.code(204).send()
    },
  )
}
