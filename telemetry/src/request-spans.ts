import { placeOf, startSpan, type Span } from './tracing.ts'

/** What a span says of a request: its route as declared, never its path or query as sent. */
export interface TracedRequest {
  method: string
  route: string
  traceparent: string | string[] | undefined
  /** Only what the fleet itself asks is put under the trace that it names. Anybody else's is linked. */
  isOurs: () => boolean
}

/** The span of each request that an HTTP server is answering. */
export class RequestSpans<Request extends object> {
  readonly #spans = new WeakMap<Request, Span>()

  begin(request: Request, { method, route, traceparent, isOurs }: TracedRequest, then: () => void): void {
    const place = typeof traceparent === 'string' ? placeOf(traceparent) : undefined
    const span = startSpan(`${method} ${route}`, {
      kind: 'server',
      isRoot: true,
      attributes: { 'http.request.method': method, 'http.route': route },
      ...(place && isOurs() ? { under: place } : { link: place }),
    })
    if (!span) return then()
    this.#spans.set(request, span)
    span.run(then)
  }

  /** Back into the span: a body comes in events of the connection, which other requests use too. */
  resume(request: Request, then: () => void): void {
    const span = this.#spans.get(request)
    if (span) span.run(then)
    else then()
  }

  end(request: Request, status: number): void {
    const span = this.#spans.get(request)
    if (!span) return
    this.#spans.delete(request)
    span.set({ 'http.response.status_code': status })
    if (status >= 500) span.fail(String(status))
    span.end()
  }
}
