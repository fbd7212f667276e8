import { metricNamed } from '@switchroom/contract/metrics/table'
import { Histogram, type Registry } from 'prom-client'
import { aboutRequest } from './request-fields.ts'
import type { Server } from './server.ts'

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
    const ms = Math.round(reply.elapsedTime * 10) / 10
    request.log.info({ method, route, status, ms, ...aboutRequest(request, status) }, 'answered')
    done()
  })
}

/** Listeners of one process are measured together. */
function durationsIn(metrics: Registry): Histogram {
  const { name, help, labels, buckets = [] } = metricNamed('svc_http_request_seconds')
  const known = metrics.getSingleMetric(name)
  if (known instanceof Histogram) return known
  return new Histogram({
    name,
    help,
    labelNames: Object.keys(labels),
    buckets: [...buckets],
    registers: [metrics],
  })
}
