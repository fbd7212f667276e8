import type { Registry } from 'prom-client'
import { Type } from 'typebox'
import { open } from './access.ts'
import type { Server } from './server.ts'

/** How the process fares, on a listener of its own that the public does not reach. */
export function metricsRoutes(server: Server, metrics: Registry) {
  server.get(
    '/metrics',
    { access: open, schema: { summary: 'Metrics for Prometheus', response: { 200: Type.String() } } },
    async (_request, reply) => reply.type(metrics.contentType).send(await metrics.metrics()),
  )
}
