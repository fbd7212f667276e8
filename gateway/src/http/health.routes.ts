import { Type } from 'typebox'
import { unavailable } from '../foundation/refusals.ts'
import { open } from './access.ts'
import { refusals } from './refusals.ts'
import type { Server } from './server.ts'

const Status = Type.Object({ status: Type.Literal('ok') })
const Ready = Type.Object({
  status: Type.Literal('ok'),
  /** What is slower than it should be, in a sentence; absent if nothing is. */
  degraded: Type.Optional(Type.String()),
})

export interface Readiness {
  whyNotReady: () => Promise<string | undefined>
  whyDegraded: () => string | undefined
}

/** Whether the process runs, and whether it can do its work. */
export function healthRoutes(server: Server, { whyNotReady, whyDegraded }: Readiness) {
  server.get(
    '/healthz',
    { access: open, schema: { summary: 'The process runs', response: { 200: Status } } },
    async () => ({ status: 'ok' as const }),
  )

  server.get(
    '/readyz',
    {
      access: open,
      schema: { summary: 'The gateway can do its work', response: { 200: Ready, ...refusals(503) } },
    },
    async () => {
      const reason = await whyNotReady()
      if (reason !== undefined) throw unavailable(reason)
      const degraded = whyDegraded()
      return { status: 'ok' as const, ...(degraded !== undefined && { degraded }) }
    },
  )
}
