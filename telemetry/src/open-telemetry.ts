import { AsyncLocalStorage } from 'node:async_hooks'
import {
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Span as SdkSpan,
  type SpanContext,
  type Tracer as SdkTracer,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  type Resource,
} from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor, RandomIdGenerator } from '@opentelemetry/sdk-trace-base'
import type { PrometheusMetric } from './prometheus-metrics.ts'
import type { Attributes, EndedCall, Place, Span, SpanOptions, Tracer } from './tracing.ts'
import { useTracer } from './tracing.ts'
import { tellVendors } from './vendor-requests.ts'

/** What is not sent by then is lost: a process that stops waits no longer for it. */
const flushWithinMs = 3_000
/** A collector that is down is complained about so often at most. */
const complainEveryMs = 60_000

export interface TelemetryLogger {
  warn(about: object, sentence: string): void
}

export interface Telemetry {
  /** Sends the metrics of the process too, as a registry of `prom-client` gives them. */
  sendMetrics(read: () => Promise<readonly PrometheusMetric[]>): Promise<void>
  /** Sends what is left, if that does not take long. */
  stop(): Promise<void>
}

export interface TelemetryOptions {
  service: string
  version: string
  logger: TelemetryLogger
  sends: { traces: boolean; metrics: boolean }
}

/** Sends to the address that the environment names, as OpenTelemetry's variables say. */
export function openTelemetry({ service, version, logger, sends }: TelemetryOptions): Telemetry {
  const complain = complainTo(logger)
  const own = resourceFromAttributes({ 'service.name': service, 'service.version': version })
  const resource = defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [envDetector] }))
  const stopping: (() => Promise<void>)[] = sends.traces ? [sendSpans(resource, version)] : []
  return {
    async sendMetrics(read) {
      if (!sends.metrics) return
      const { openMetrics } = await import('./open-metrics.ts')
      const provider = openMetrics(resource, read)
      stopping.push(() => provider.shutdown())
    },
    async stop() {
      const { promise: late, resolve } = Promise.withResolvers<void>()
      const giveUp = () => {
        complain(`the process stopped, and ${flushWithinMs / 1000} s were not enough to send the rest`)
        resolve()
      }
      const timer = setTimeout(giveUp, flushWithinMs)
      await Promise.race([Promise.allSettled(stopping.map((stop) => stop())), late])
      clearTimeout(timer)
    },
  }
}

/** Answers what stops it. */
function sendSpans(resource: Resource, version: string): () => Promise<void> {
  const ids = new ChosenIds()
  const provider = new BasicTracerProvider({
    resource,
    idGenerator: ids,
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  })
  const spans = new OpenTelemetryTracer(provider.getTracer('switchroom', version), ids)
  useTracer(spans)
  const stopTelling = tellVendors(() => spans.vendorTraceparent)
  return () => {
    useTracer(undefined)
    stopTelling()
    return provider.shutdown()
  }
}

function complainTo(logger: TelemetryLogger): (why: string) => void {
  let complainedMs = -Infinity
  const complain = (why: string) => {
    const nowMs = performance.now()
    if (nowMs - complainedMs < complainEveryMs) return
    complainedMs = nowMs
    logger.warn({ why: why.slice(0, 300) }, 'telemetry could not be sent to OTEL_EXPORTER_OTLP_ENDPOINT')
  }
  const quiet = () => {}
  diag.setLogger(
    { error: complain, warn: complain, info: quiet, debug: quiet, verbose: quiet },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
  return complain
}

/** Random ids, unless the next span has to have these: a call's span is known before it is over. */
class ChosenIds extends RandomIdGenerator {
  #next: SpanContext | undefined
  readonly #random = new RandomIdGenerator()

  during<T>(chosen: SpanContext, work: () => T): T {
    this.#next = chosen
    try {
      return work()
    } finally {
      this.#next = undefined
    }
  }

  override generateTraceId = () => this.#next?.traceId ?? this.#random.generateTraceId()
  override generateSpanId = () => this.#next?.spanId ?? this.#random.generateSpanId()
}

const kinds = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT }

/** Where code runs. */
interface Running {
  place: TracedPlace
  toVendor: boolean
}

class OpenTelemetryTracer implements Tracer {
  readonly #tracer: SdkTracer
  readonly #ids: ChosenIds
  readonly #running = new AsyncLocalStorage<Running | undefined>()

  constructor(tracer: SdkTracer, ids: ChosenIds) {
    this.#tracer = tracer
    this.#ids = ids
  }

  get active(): TracedPlace | undefined {
    return this.#running.getStore()?.place
  }

  get vendorTraceparent(): string | undefined {
    const running = this.#running.getStore()
    return running?.toVendor ? running.place.traceparent : undefined
  }

  start(name: string, options: SpanOptions): Span | undefined {
    const {
      kind = 'internal',
      attributes = {},
      startMs,
      under = this.active,
      isRoot,
      link,
      toVendor,
    } = options
    if (!under && !isRoot) return undefined
    const span = this.#tracer.startSpan(
      name,
      {
        kind: kinds[kind],
        attributes,
        ...(startMs !== undefined && { startTime: startMs }),
        ...(link && { links: [{ context: contextOf(link) }] }),
      },
      under ? (under as TracedPlace).context : ROOT_CONTEXT,
    )
    return new TracedSpan(span, this.#running, toVendor === true)
  }

  run<T>(place: Place | undefined, work: () => T, toVendor = false): T {
    return this.#running.run(place && { place: place as TracedPlace, toVendor }, work)
  }

  place(traceparent: string): Place | undefined {
    const context = parsed(traceparent)
    return context && new TracedPlace(trace.wrapSpanContext(context))
  }

  newCall(): string | null {
    const context = this.#tracer.startSpan(callSpan, { root: true }, ROOT_CONTEXT).spanContext()
    return (context.traceFlags & TraceFlags.SAMPLED) === 0 ? null : written(context)
  }

  callEnded({ traceparent, startedAtMs, endedAtMs, attributes }: EndedCall): void {
    const chosen = parsed(traceparent)
    if (!chosen) return
    const options = { root: true, startTime: startedAtMs, attributes }
    const span = this.#ids.during(chosen, () => this.#tracer.startSpan(callSpan, options, ROOT_CONTEXT))
    this.#running.run(undefined, () => span.end(Math.max(startedAtMs, endedAtMs)))
  }
}

const callSpan = 'call'

class TracedPlace implements Place {
  readonly #span: SdkSpan
  #context: Context | undefined

  constructor(span: SdkSpan) {
    this.#span = span
  }

  /** Most spans have none under them. */
  get context(): Context {
    return (this.#context ??= trace.setSpan(ROOT_CONTEXT, this.#span))
  }

  get spanContext(): SpanContext {
    return this.#span.spanContext()
  }

  get traceparent(): string {
    return written(this.spanContext)
  }
}

class TracedSpan extends TracedPlace implements Span {
  readonly #open: SdkSpan
  readonly #running: AsyncLocalStorage<Running | undefined>
  readonly #here: Running

  constructor(span: SdkSpan, running: AsyncLocalStorage<Running | undefined>, toVendor: boolean) {
    super(span)
    this.#open = span
    this.#running = running
    this.#here = { place: this, toVendor }
  }

  run<T>(work: () => T): T {
    return this.#running.run(this.#here, work)
  }

  set(attributes: Attributes): void {
    this.#open.setAttributes(attributes)
  }

  fail(type: string): void {
    this.#open.setAttribute('error.type', type)
    this.#open.setStatus({ code: SpanStatusCode.ERROR })
  }

  /** Outside any span, because the timer that sends spans would run in this one. */
  end(atMs?: number): void {
    this.#running.run(undefined, () => this.#open.end(atMs))
  }
}

const contextOf = (place: Place): SpanContext => (place as TracedPlace).spanContext

const written = ({ traceId, spanId, traceFlags }: SpanContext) =>
  `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`

const form = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:-|$)/

function parsed(traceparent: string): SpanContext | undefined {
  const [, traceId, spanId, flags] = form.exec(traceparent) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED
  return { traceId, spanId, traceFlags, isRemote: true }
}
