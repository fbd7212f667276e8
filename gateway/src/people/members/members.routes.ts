import { ChangeMember, Invited, InviteMember, Member, MemberList } from '@switchroom/contract/members'
import { Nothing } from '@switchroom/contract/shapes'
import { Type } from 'typebox'
import { scope } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { Members } from './members.ts'

const Params = Type.Object({ id: Type.String() })

export function memberRoutes(server: Server, members: Members) {
  server.get(
    '/v1/members',
    {
      access: scope('team'),
      schema: { summary: 'Every member, oldest first', response: { 200: MemberList } },
    },
    (request) => members.list(request.caller.org),
  )

  server.post(
    '/v1/members',
    {
      access: scope('team'),
      schema: {
        summary: 'Invite a person',
        body: InviteMember,
        response: { 201: Invited, ...refusals(409, 429) },
      },
    },
    async (request, reply) => reply.code(201).send(await members.invite(request.caller, request.body)),
  )

  server.patch(
    '/v1/members/:id',
    {
      access: scope('team'),
      schema: {
        summary: 'Change a role, agents, status or production access',
        params: Params,
        body: ChangeMember,
        response: { 200: Member, ...refusals(404, 409, 429) },
      },
    },
    (request) => members.change(request.caller, request.params.id, request.body),
  )

  server.delete(
    '/v1/members/:id',
    {
      access: scope('team'),
      schema: {
        summary: 'Remove a member',
        params: Params,
        response: { 204: Nothing, ...refusals(404, 409) },
      },
    },
    async (request, reply) => {
      await members.remove(request.caller, request.params.id)
      return reply.code(204).send()
    },
  )

  server.post(
    '/v1/members/:id/reset',
    {
      access: scope('team'),
      schema: {
        summary: 'A one-use link with which a member chooses a new password',
        params: Params,
        response: { 201: Invited, ...refusals(404, 409, 429) },
      },
    },
    async (request, reply) => reply.code(201).send(await members.reset(request.caller, request.params.id)),
  )
}
