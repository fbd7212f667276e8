import { RequestSpans } from '@switchroom/telemetry/request-spans'
import { isTracing } from '@switchroom/telemetry/tracing'
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
  const spans = new RequestSpans<FastifyRequest>()

  server.addHook('onRequest', (request, _reply, done) => {
    const { method, headers, routeOptions, ws } = request
    const route = routeOptions.url ?? 'unknown'
    if (ws || unwanted.has(route)) return done() // a socket lasts as long as a call, and its turns have spans
    const { traceparent } = headers
    spans.begin(request, { method, route, traceparent, isOurs: () => fleet.isPresented(headers) }, done)
  })
  server.addHook('preValidation', (request, _reply, done) => spans.resume(request, done))
  server.addHook('onResponse', (request, reply, done) => {
    spans.end(request, reply.statusCode)
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
