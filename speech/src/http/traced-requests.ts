import { RequestSpans } from '@switchroom/telemetry/request-spans'
import { isTracing } from '@switchroom/telemetry/tracing'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** A span for each request, in a trace of its own: a voice server serves no calls of the fleet. */
export function traceRequests(server: FastifyInstance) {
  if (!isTracing()) return
  const spans = new RequestSpans<FastifyRequest>()
  server.addHook('onRequest', (request, reply, done) => {
    const { method, headers, routeOptions } = request
    const route = routeOptions.url ?? 'unknown'
    if (route === '/healthz' || headers.upgrade !== undefined) return done() // a socket lasts as long as its speaker
    const { traceparent } = headers
    // `onResponse` is not called for an answer that does not get to its caller
    reply.raw.once('close', () => spans.end(request, reply.raw.writableFinished ? reply.statusCode : 499))
    spans.begin(request, { method, route, traceparent, isOurs: () => false }, done)
  })
  server.addHook('preValidation', (request, _reply, done) => spans.resume(request, done))
}
