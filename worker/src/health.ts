import { once } from 'node:events'
import { createServer } from 'node:http'
import { Listeners, type ListeningServer } from '@switchroom/process/listeners'

const slowMs = 10_000

export interface HealthAddress {
  host: string
  port: number
}

/** `/healthz` and `/readyz` for the machine that runs the worker; nothing without a port. */
export async function serveHealth(
  at: HealthAddress | undefined,
  whyNotReady: () => string | undefined,
): Promise<() => Promise<void>> {
  if (!at) return async () => {}
  const listeners = new Listeners()
  await listeners.open(makeServer(whyNotReady), {
    ...at,
    setting: 'SVC_WORKER_HEALTH_PORT',
    hostSetting: 'SVC_HOST',
  })
  return () => listeners.close(0)
}

function makeServer(whyNotReady: () => string | undefined): ListeningServer {
  const server = createServer({ headersTimeout: slowMs, requestTimeout: slowMs }, ({ url }, response) => {
    const why = url === '/readyz' ? whyNotReady() : undefined
    const isKnown = url === '/healthz' || url === '/readyz'
    const detail = isKnown ? why : '/healthz and /readyz are all that is served here'
    response
      .writeHead(isKnown ? (why === undefined ? 200 : 503) : 404, { 'content-type': 'application/json' })
      .end(JSON.stringify(detail === undefined ? { status: 'ok' } : { detail }))
  })
  return {
    server,
    listen: async (address) => {
      server.listen(address)
      await once(server, 'listening')
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
