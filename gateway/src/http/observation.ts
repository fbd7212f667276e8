import { Histogram, type Registry } from 'prom-client'
import type { Server } from './server.ts'

const bucketsS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/**
 * Measures and logs every answer by its route as declared: no path, query, header or body as sent, because
 * each of them may hold a secret, and no org or key in a metric's label.
 */
export function observeRequests(server: Server, metrics: Registry) {
  const durations = durationsIn(metrics)
  // Looking a series up by its labels costs more than observing it.
  const series = new Map<string, Histogram.Internal<string>>()
  const durationOf = (method: string, route: string, status: number) => {
    const name = `${method} ${route} ${status}`
    const known = series.get(name) ?? durations.labels({ method, route, status })
    series.set(name, known)
    return known
  }

  server.addHook('onResponse', (request, reply, done) => {
    const { method } = request
    const route = request.routeOptions.url ?? 'unknown'
    const status = reply.statusCode
    durationOf(method, route, status).observe(reply.elapsedTime / 1000)
    request.log.info({ method, route, status, ms: Math.round(reply.elapsedTime * 10) / 10 }, 'answered')
    done()
  })
}

/** Listeners of one process are measured together. */
function durationsIn(metrics: Registry): Histogram {
  const name = 'svc_http_request_seconds'
  const known = metrics.getSingleMetric(name)
  if (known instanceof Histogram) return known
  return new Histogram({
    name,
    help: 'Time from the first byte of a request to the last of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: bucketsS,
    registers: [metrics],
  })
}
