import { AuditAsked, AuditPage, PlatformAuditAsked } from '@switchroom/contract/audit'
import { operator, scope } from '../http/access.ts'
import { refusals } from '../http/refusals.ts'
import type { Server } from '../http/server.ts'
import type { AuditLog } from './audit.ts'

export function auditRoutes(server: Server, audit: AuditLog) {
  server.get(
    '/v1/org/audit',
    {
      access: scope('team'),
      schema: {
        summary: 'Who changed what in the org, newest first',
        querystring: AuditAsked,
        response: { 200: AuditPage },
      },
    },
    (request) => audit.list(request.caller.org, request.query),
  )

  server.get(
    '/v1/ops/audit',
    {
      access: operator,
      schema: {
        summary: 'Who changed what in every org and on the deployment, newest first',
        querystring: PlatformAuditAsked,
        response: { 200: AuditPage, ...refusals(404) },
      },
    },
    (request) => audit.listAll(request.query),
  )
}
