import { isTracing, placeOf, startSpan, type Span } from '@switchroom/telemetry/tracing'
import type { FastifyRequest } from 'fastify'
import type { Fleet } from './fleet.ts'
import type { Server } from './server.ts'

/**
 * A span for each request, by its route as declared, for the reason that `observation.ts` gives. What a worker does for
 * a call is in the call's trace. Anybody else's trace is only linked: it could be anyone's, and would decide what is
 * sampled.
 */
export function traceRequests(server: Server, fleet: Pick<Fleet, 'isPresented'>) {
  if (!isTracing()) return
  const spans = new WeakMap<FastifyRequest, Span>()

  server.addHook('onRequest', (request, _reply, done) => {
    const { method, headers, routeOptions, ws } = request
    const route = routeOptions.url ?? 'unknown'
    if (ws || unwanted.has(route)) return done() // a socket lasts as long as a call, and its turns have spans
    const { traceparent } = headers
    const place = typeof traceparent === 'string' ? placeOf(traceparent) : undefined
    const isOurs = place !== undefined && fleet.isPresented(headers)
    const span = startSpan(`${method} ${route}`, {
      kind: 'server',
      isRoot: true,
      attributes: { 'http.request.method': method, 'http.route': route },
      ...(isOurs ? { under: place } : { link: place }),
    })
    if (!span) return done()
    spans.set(request, span)
    return span.run(done)
  })

  // The body came in events of the connection, which other requests use too.
  server.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request)
    return span ? span.run(done) : done()
  })

  server.addHook('onResponse', (request, reply, done) => {
    const span = spans.get(request)
    const status = reply.statusCode
    span?.set({ 'http.response.status_code': status })
    if (status >= 500) span?.fail(String(status))
    span?.end()
    done()
  })
}

/** Asked by machines again and again, and about no call. */
const unwanted: ReadonlySet<string> = new Set([
  '/healthz',
  '/readyz',
  '/metrics',
  '/v1/worker/beats',
  '/v1/worker/fences',
  '/v1/worker/placements',
  '/v1/worker/registrations',
])
