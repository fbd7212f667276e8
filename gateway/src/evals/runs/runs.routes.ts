import {
  AttemptPage,
  AttemptsAsked,
  EvalRun,
  RunList,
  RunStreamed,
  RunsAsked,
  StartRun,
} from '@switchroom/contract/evals'
import { Type } from 'typebox'
import type { ConnectionCaps } from '../../calls/connection-caps/connection-caps.ts'
import { EventStream } from '../../calls/log/event-stream.ts'
import { scope } from '../../http/access.ts'
import type { OpenConnections } from '../../http/open-connections.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { RunProgresses } from './run-progress.ts'
import type { Runs } from './runs.ts'

const Params = Type.Object({ id: Type.String() })
const access = scope('evals')

interface RunParts {
  runs: Runs
  runProgresses: RunProgresses
  connections: OpenConnections
  caps: ConnectionCaps
}

export function runRoutes(server: Server, { runs, runProgresses, connections, caps }: RunParts) {
  server.get(
    '/v1/evals/runs',
    {
      access,
      schema: {
        summary: 'Runs of scenarios, newest first',
        querystring: RunsAsked,
        response: { 200: RunList },
      },
    },
    (request) => runs.list(request.caller, request.query),
  )

  server.post(
    '/v1/evals/runs',
    {
      access,
      schema: {
        summary: 'Call an agent with scenarios, and hold the calls against what they expect',
        body: StartRun,
        response: { 201: EvalRun, ...refusals(402, 404, 409, 429) },
      },
    },
    async (request, reply) => reply.code(201).send(await runs.start(request.caller, request.body)),
  )

  server.get(
    '/v1/evals/runs/:id',
    {
      access,
      schema: {
        summary: 'A run, and how many of its calls have passed',
        params: Params,
        response: { 200: EvalRun, ...refusals(404) },
      },
    },
    (request) => runs.read(request.caller, request.params.id),
  )

  server.get(
    '/v1/evals/runs/:id/attempts',
    {
      access,
      schema: {
        summary: 'The calls of a run, each with its verdicts',
        params: Params,
        querystring: AttemptsAsked,
        response: { 200: AttemptPage, ...refusals(404) },
      },
    },
    (request) => runs.attempts(request.caller, request.params.id, request.query),
  )

  server.post(
    '/v1/evals/runs/:id/cancel',
    {
      access,
      schema: {
        summary: 'Make no more calls of a run, and end those under way',
        params: Params,
        response: { 200: EvalRun, ...refusals(404, 409) },
      },
    },
    (request) => runs.cancel(request.caller, request.params.id),
  )

  server.get(
    '/v1/evals/runs/:id/events',
    {
      access,
      schema: {
        summary: 'A run as it goes on, as server-sent events `progress`, until it is over',
        params: Params,
        response: {
          200: { content: { 'text/event-stream': { schema: RunStreamed } } },
          ...refusals(404, 429),
        },
      },
    },
    async (request, reply) => {
      const { caller, params } = request
      const run = await runs.read(caller, params.id)
      if (request.method === 'HEAD') return reply.type('text/event-stream').send('')
      const release = await caps.openStream(caller)
      const stream = { caller, access, agent: run.agent, connections, release }
      runProgresses.follow(run, new EventStream(reply, stream))
      return reply
    },
  )
}
