import { OutboundReadiness, ProvisionAsked, ProvisionedOutbound } from '@switchroom/contract/carriers'
import { scope } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import { isDryRun } from '../number-changes/steps.ts'
import type { OutboundProvisioning } from './provisioning.ts'
import type { OutboundReadinesses } from './readiness.ts'

export function outboundRoutes(
  server: Server,
  readinesses: OutboundReadinesses,
  provisioning: OutboundProvisioning,
) {
  server.get(
    '/v1/carrier/outbound',
    {
      access: scope('numbers'),
      schema: {
        summary: 'Whether calls can be placed, and what is missing',
        response: { 200: OutboundReadiness },
      },
    },
    (request) => readinesses.read(request.caller),
  )

  server.post(
    '/v1/carrier/outbound',
    {
      access: scope('numbers'),
      schema: {
        summary: 'Make at the carrier what calls go out through, once',
        querystring: ProvisionAsked,
        response: { 200: ProvisionedOutbound, ...refusals(404, 409, 502, 503) },
      },
    },
    ({ caller, query }) => provisioning.provision(caller, query.account, isDryRun(query.dry_run)),
  )
}
