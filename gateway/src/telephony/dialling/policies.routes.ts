import { ChangeDialLimits, ChangePolicy, DialLimits, DialPolicy } from '@switchroom/contract/dialling'
import { Type } from 'typebox'
import { operator, scope } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { DialPolicies } from './policies.ts'

const OrgParams = Type.Object({ org: Type.String({ description: 'id or slug' }) })

export function dialPolicyRoutes(server: Server, policies: DialPolicies) {
  server.get(
    '/v1/org/policy',
    {
      access: scope('numbers'),
      schema: { summary: 'What the org holds its dials to', response: { 200: DialPolicy } },
    },
    (request) => policies.read(request.caller.org),
  )

  server.put(
    '/v1/org/policy',
    {
      access: scope('numbers'),
      schema: {
        summary: 'Hold dials to hours, consents and counts; what is not named stays, null is the default',
        body: ChangePolicy,
        response: { 200: DialPolicy },
      },
    },
    (request) => policies.change(request.caller, request.body),
  )

  server.get(
    '/v1/ops/orgs/:org/dialling',
    {
      access: operator,
      schema: {
        summary: 'What the operator holds an org’s dials to',
        params: OrgParams,
        response: { 200: DialLimits, ...refusals(404) },
      },
    },
    (request) => policies.readLimits(request.params.org),
  )

  server.put(
    '/v1/ops/orgs/:org/dialling',
    {
      access: operator,
      schema: {
        summary: 'Hold an org’s dials to a pace and a length; what is not named stays, null is the default',
        params: OrgParams,
        body: ChangeDialLimits,
        response: { 200: DialLimits, ...refusals(404) },
      },
    },
    (request) => policies.changeLimits(request.operator, request.params.org, request.body),
  )
}
