import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { BaseLogger } from 'pino'
import type { Registry } from 'prom-client'
import { Listeners, ListenError, type ListeningServer } from './listeners.ts'
import type { MetricsAddress } from './metrics-address.ts'

const slowScrapeMs = 10_000

/**
 * Serves `/metrics` of a process that has no other listener for it. If the operator chose no port, it is the first free
 * one of the usual ones, and none if all are taken: then the process runs without.
 */
export async function serveMetrics(
  registry: Registry,
  address: MetricsAddress,
  logger: Pick<BaseLogger, 'info' | 'warn'>,
): Promise<{ port: number | undefined; close: () => Promise<void> }> {
  const listeners = new Listeners()
  const { host, port: first, ports, setting, isPortSet } = address
  const close = () => listeners.close(0)
  for (let tried = 0; tried < ports; tried += 1) {
    const at = { host, port: first + tried, setting, hostSetting: 'SVC_METRICS_HOST' }
    try {
      const opened = await listeners.open(makeServer(registry), at)
      logger.info({ metrics: `${host}:${opened}` }, 'serving metrics')
      return { port: opened, close }
    } catch (error) {
      if (isPortSet || !(error instanceof ListenError) || !error.isPortTaken) throw error
    }
  }
  const taken =
    ports === 1 ? `port ${first} on ${host} is` : `ports ${first} to ${first + ports - 1} on ${host} are`
  logger.warn(`${taken} taken, so this process serves no metrics: set ${setting} to a free one`)
  return { port: undefined, close }
}

function makeServer(registry: Registry): ListeningServer {
  const server = createServer(
    { headersTimeout: slowScrapeMs, requestTimeout: slowScrapeMs },
    (request, response) => {
      void answer(registry, request, response)
    },
  )
  return {
    server,
    listen: async ({ host, port: wanted }) => {
      server.listen(wanted, host)
      await once(server, 'listening')
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

async function answer(registry: Registry, { method, url = '' }: IncomingMessage, response: ServerResponse) {
  if (method !== 'GET' || url.split('?', 1)[0] !== '/metrics') {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('GET /metrics is all that is served here\n')
    return
  }
  try {
    const text = await registry.metrics()
    response.writeHead(200, { 'content-type': registry.contentType }).end(text)
  } catch {
    response.writeHead(500).end()
  }
}
