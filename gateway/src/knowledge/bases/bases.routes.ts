import { Base, BaseList, ChangeBase, CreateBase } from '@switchroom/contract/knowledge'
import { Nothing } from '@switchroom/contract/shapes'
import { Type } from 'typebox'
import { scope } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { Bases } from './bases.ts'

const Params = Type.Object({ base: Type.String() })
const access = scope('knowledge')

export function baseRoutes(server: Server, bases: Bases) {
  server.get(
    '/v1/bases',
    {
      access,
      schema: { summary: "The org's knowledge bases of the environment", response: { 200: BaseList } },
    },
    (request) => bases.list(request.caller),
  )

  server.post(
    '/v1/bases',
    {
      access,
      schema: {
        summary: 'Create a knowledge base',
        body: CreateBase,
        response: { 201: Base, ...refusals(400, 403, 409, 429) },
      },
    },
    async (request, reply) => reply.code(201).send(await bases.create(request.caller, request.body)),
  )

  server.get(
    '/v1/bases/:base',
    {
      access,
      schema: { summary: 'A knowledge base', params: Params, response: { 200: Base, ...refusals(404) } },
    },
    (request) => bases.read(request.caller, request.params.base),
  )

  server.patch(
    '/v1/bases/:base',
    {
      access,
      schema: {
        summary: 'Change a knowledge base; its documents are read anew if `language` or `embed` changes',
        params: Params,
        body: ChangeBase,
        response: { 200: Base, ...refusals(400, 403, 404, 409) },
      },
    },
    (request) => bases.change(request.caller, request.params.base, request.body),
  )

  server.delete(
    '/v1/bases/:base',
    {
      access,
      schema: {
        summary: 'Delete a knowledge base with its documents',
        params: Params,
        response: { 204: Nothing, ...refusals(403, 404) },
      },
    },
    async (request, reply) => {
      await bases.remove(request.caller, request.params.base)
      return reply.code(204).send()
    },
  )
}
