import {
  ChangeScenario,
  CreateScenario,
  Scenario,
  ScenarioAsked,
  ScenarioList,
  ScenariosAsked,
} from '@switchroom/contract/evals'
import { Nothing } from '@switchroom/contract/shapes'
import { Type } from 'typebox'
import { scope } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { Scenarios } from './scenarios.ts'

const Params = Type.Object({ id: Type.String() })
const access = scope('evals')

export function scenarioRoutes(server: Server, scenarios: Scenarios) {
  server.get(
    '/v1/evals/scenarios',
    {
      access,
      schema: {
        summary: 'The scenarios that agents are tested with',
        querystring: ScenariosAsked,
        response: { 200: ScenarioList },
      },
    },
    (request) => scenarios.list(request.caller, request.query),
  )

  server.post(
    '/v1/evals/scenarios',
    {
      access,
      schema: {
        summary: 'Keep a scenario with an agent',
        body: CreateScenario,
        response: { 201: Scenario, ...refusals(404, 409, 429) },
      },
    },
    async (request, reply) => reply.code(201).send(await scenarios.create(request.caller, request.body)),
  )

  server.get(
    '/v1/evals/scenarios/:id',
    {
      access,
      schema: {
        summary: 'A scenario, as it is or as an older version',
        params: Params,
        querystring: ScenarioAsked,
        response: { 200: Scenario, ...refusals(404) },
      },
    },
    (request) => scenarios.read(request.caller, request.params.id, request.query),
  )

  server.put(
    '/v1/evals/scenarios/:id',
    {
      access,
      schema: {
        summary: 'Replace a scenario by its next version',
        params: Params,
        body: ChangeScenario,
        response: { 200: Scenario, ...refusals(404, 409) },
      },
    },
    (request) => scenarios.change(request.caller, request.params.id, request.body),
  )

  server.delete(
    '/v1/evals/scenarios/:id',
    {
      access,
      schema: {
        summary: 'Delete a scenario with all its versions',
        params: Params,
        response: { 204: Nothing, ...refusals(404) },
      },
    },
    async (request, reply) => {
      await scenarios.remove(request.caller, request.params.id)
      return reply.code(204).send()
    },
  )
}
