import { CreateServerToken, ServerToken } from '@switchroom/contract/keys'
import { Invited, InviteAsOperator, Member, MemberList, SetOperator } from '@switchroom/contract/members'
import {
  CreatedOrg,
  CreateOrg,
  OrgDetail,
  OrgList,
  QuotasAndCaps,
  ReplacedQuotas,
  ReplaceQuotas,
} from '@switchroom/contract/orgs'
import { Nothing } from '@switchroom/contract/shapes'
import { Type } from 'typebox'
import { operator } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { OrgAdministration } from './orgs.ts'

const OrgParams = Type.Object({ org: Type.String({ description: 'id or slug' }) })
const MemberParams = Type.Object({ org: Type.String({ description: 'id or slug' }), id: Type.String() })

/** The operator's administration of orgs. */
export function orgAdministrationRoutes(server: Server, orgs: OrgAdministration) {
  server.get(
    '/v1/ops/orgs',
    { access: operator, schema: { summary: 'Every org, oldest first', response: { 200: OrgList } } },
    () => orgs.list(),
  )

  server.post(
    '/v1/ops/orgs',
    {
      access: operator,
      schema: { summary: 'Make an org', body: CreateOrg, response: { 201: CreatedOrg, ...refusals(409) } },
    },
    async (request, reply) => reply.code(201).send(await orgs.create(request.operator, request.body)),
  )

  server.get(
    '/v1/ops/orgs/:org',
    {
      access: operator,
      schema: { summary: 'An org and what it holds', params: OrgParams, response: { 200: OrgDetail } },
    },
    (request) => orgs.detail(request.params.org),
  )

  server.get(
    '/v1/ops/orgs/:org/quotas',
    {
      access: operator,
      schema: {
        summary: 'What an org may hold, and what it and its keys may hold open and keep',
        params: OrgParams,
        response: { 200: QuotasAndCaps },
      },
    },
    (request) => orgs.quotas(request.params.org),
  )

  server.put(
    '/v1/ops/orgs/:org/quotas',
    {
      access: operator,
      schema: {
        summary: 'Replace what an org may hold; of the caps beside it, those that are named',
        params: OrgParams,
        body: ReplaceQuotas,
        response: { 200: ReplacedQuotas },
      },
    },
    (request) => orgs.replaceQuotas(request.operator, request.params.org, request.body),
  )

  server.get(
    '/v1/ops/orgs/:org/members',
    {
      access: operator,
      schema: { summary: 'Members of an org', params: OrgParams, response: { 200: MemberList } },
    },
    (request) => orgs.members(request.params.org),
  )

  server.post(
    '/v1/ops/orgs/:org/members',
    {
      access: operator,
      schema: {
        summary: 'Invite a person into an org',
        params: OrgParams,
        body: InviteAsOperator,
        response: { 201: Invited, ...refusals(409, 429) },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await orgs.invite(request.operator, request.params.org, request.body)),
  )

  server.delete(
    '/v1/ops/orgs/:org/members/:id',
    {
      access: operator,
      schema: {
        summary: 'Remove a member',
        params: MemberParams,
        response: { 204: Nothing, ...refusals(409) },
      },
    },
    async (request, reply) => {
      await orgs.removeMember(request.operator, request.params.org, request.params.id)
      return reply.code(204).send()
    },
  )

  server.put(
    '/v1/ops/orgs/:org/members/:id/operator',
    {
      access: operator,
      schema: {
        summary: 'Make a member operator, or no longer',
        params: MemberParams,
        body: SetOperator,
        response: { 200: Member, ...refusals(409) },
      },
    },
    (request) => orgs.setOperator(request.operator, request.params.org, request.params.id, request.body),
  )

  server.post(
    '/v1/ops/orgs/:org/keys',
    {
      access: operator,
      schema: {
        summary: 'Make a server token of any scopes',
        params: OrgParams,
        body: CreateServerToken,
        response: { 200: ServerToken },
      },
    },
    (request) => orgs.createKey(request.operator, request.params.org, request.body),
  )
}
