import type { Registry } from 'prom-client'
import { Type } from 'typebox'
import { unavailable } from '../foundation/refusals.ts'
import { open } from './access.ts'
import { refusals } from './refusals.ts'
import type { Server } from './server.ts'

const Status = Type.Object({ status: Type.Literal('ok') })

/** Whether the process runs, whether it can do its work, and how it fares. */
export function healthRoutes(
  server: Server,
  whyNotReady: () => Promise<string | undefined>,
  metrics: Registry,
) {
  server.get(
    '/healthz',
    { access: open, schema: { summary: 'The process runs', response: { 200: Status } } },
    async () => ({ status: 'ok' as const }),
  )

  server.get(
    '/readyz',
    {
      access: open,
      schema: { summary: 'The gateway can do its work', response: { 200: Status, ...refusals(503) } },
    },
    async () => {
      const reason = await whyNotReady()
      if (reason !== undefined) throw unavailable(reason)
      return { status: 'ok' as const }
    },
  )

  server.get(
    '/metrics',
    { access: open, schema: { summary: 'Metrics for Prometheus', response: { 200: Type.String() } } },
    async (_request, reply) => reply.type(metrics.contentType).send(await metrics.metrics()),
  )
}
