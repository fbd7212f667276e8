import {
  ChangeEndpoint,
  CreateEndpoint,
  EndpointList,
  ModelEndpoint,
  TriedEndpoint,
} from '@switchroom/contract/model-endpoints'
import { Nothing } from '@switchroom/contract/shapes'
import { Type } from 'typebox'
import { scope } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { ModelEndpoints } from './model-endpoints.ts'

const Params = Type.Object({ name: Type.String() })

export function modelEndpointRoutes(server: Server, endpoints: ModelEndpoints) {
  server.get(
    '/v1/model-endpoints',
    {
      access: scope('providers'),
      schema: {
        summary: "The org's own model endpoints of the environment",
        response: { 200: EndpointList },
      },
    },
    (request) => endpoints.list(request.caller),
  )

  server.post(
    '/v1/model-endpoints',
    {
      access: scope('providers'),
      schema: {
        summary: 'Create a model endpoint, after one request that it answers',
        body: CreateEndpoint,
        response: { 201: ModelEndpoint, ...refusals(409, 429, 502) },
      },
    },
    async (request, reply) => reply.code(201).send(await endpoints.create(request.caller, request.body)),
  )

  server.get(
    '/v1/model-endpoints/:name',
    {
      access: scope('providers'),
      schema: {
        summary: 'A model endpoint, without its key',
        params: Params,
        response: { 200: ModelEndpoint, ...refusals(404) },
      },
    },
    (request) => endpoints.read(request.caller, request.params.name),
  )

  server.patch(
    '/v1/model-endpoints/:name',
    {
      access: scope('providers'),
      schema: {
        summary: 'Change a model endpoint, after one request that it answers',
        params: Params,
        body: ChangeEndpoint,
        response: { 200: ModelEndpoint, ...refusals(404, 409, 429, 502) },
      },
    },
    (request) => endpoints.change(request.caller, request.params.name, request.body),
  )

  server.post(
    '/v1/model-endpoints/:name/try',
    {
      access: scope('providers'),
      schema: {
        summary: 'Ask a model endpoint for one word, as when it was created',
        params: Params,
        response: { 200: TriedEndpoint, ...refusals(404, 429, 502) },
      },
    },
    (request) => endpoints.tryAgain(request.caller, request.params.name),
  )

  server.delete(
    '/v1/model-endpoints/:name',
    {
      access: scope('providers'),
      schema: {
        summary: 'Delete a model endpoint that no agent runs on',
        params: Params,
        response: { 204: Nothing, ...refusals(404, 409) },
      },
    },
    async (request, reply) => {
      await endpoints.remove(request.caller, request.params.name)
      return reply.code(204).send()
    },
  )
}
