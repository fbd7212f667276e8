import { AsyncLocalStorage } from 'node:async_hooks'
import { SpanKind, SpanStatusCode, TraceFlags, type HrTime, type SpanContext } from '@opentelemetry/api'
import { RandomIdGenerator, type ReadableSpan, type SpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { IsSampled } from './sampling.ts'
import type { Attributes, EndedCall, Place, Span, SpanOptions, Tracer } from './tracing.ts'

/** What each span is handed over with. */
export interface SpanTracerParts extends Pick<ReadableSpan, 'resource' | 'instrumentationScope'> {
  processor: Pick<SpanProcessor, 'onEnd'>
  isSampled: IsSampled
}

/** Where code runs. */
interface Running {
  place: TracedPlace
  toVendor: boolean
}

interface Shared extends SpanTracerParts {
  running: AsyncLocalStorage<Running | undefined>
}

interface Begun {
  name: string
  kind: SpanKind
  context: SpanContext
  parent?: SpanContext | undefined
  link?: SpanContext | undefined
  attributes: Attributes
  startEpochMs: number
}

const kinds = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT }
const callSpan = 'call'

/** Spans of our own, which OpenTelemetry gathers and sends once they are over: its own cost several times as much each. */
export class SpanTracer implements Tracer {
  readonly #shared: Shared
  readonly #ids = new RandomIdGenerator()

  constructor(parts: SpanTracerParts) {
    this.#shared = { ...parts, running: new AsyncLocalStorage() }
  }

  get active(): TracedPlace | undefined {
    return this.#shared.running.getStore()?.place
  }

  get vendorTraceparent(): string | undefined {
    const running = this.#shared.running.getStore()
    return running?.toVendor ? running.place.traceparent : undefined
  }

  start(name: string, options: SpanOptions): Span | undefined {
    const { kind = 'internal', attributes = {}, under = this.active, isRoot, link, toVendor } = options
    if (!under && !isRoot) return undefined
    const nowMs = performance.now()
    const parent = under && contextOf(under)
    const begun = {
      name,
      kind: kinds[kind],
      context: this.#next(parent),
      parent,
      link: link && contextOf(link),
      attributes,
      startEpochMs: Date.now() + (options.startMs ?? nowMs) - nowMs,
    }
    return new TracedSpan(this.#shared, begun, toVendor === true)
  }

  run<T>(place: Place | undefined, work: () => T, toVendor = false): T {
    return this.#shared.running.run(place && { place: place as TracedPlace, toVendor }, work)
  }

  place(traceparent: string): Place | undefined {
    const context = parsed(traceparent)
    return context && new TracedPlace(context)
  }

  newCall(): string | null {
    const context = this.#next()
    return isSampled(context) ? written(context) : null
  }

  callEnded({ traceparent, startedAtMs, endedAtMs, attributes }: EndedCall): void {
    const context = parsed(traceparent)
    if (!context) return
    const begun = { name: callSpan, kind: SpanKind.INTERNAL, context, attributes, startEpochMs: startedAtMs }
    new TracedSpan(this.#shared, begun, false).endAt(Math.max(startedAtMs, endedAtMs))
  }

  /** Of the next span. */
  #next(parent?: SpanContext): SpanContext {
    const traceId = parent?.traceId ?? this.#ids.generateTraceId()
    const traceFlags = this.#shared.isSampled(traceId, parent) ? TraceFlags.SAMPLED : TraceFlags.NONE
    return { traceId, spanId: this.#ids.generateSpanId(), traceFlags }
  }
}

class TracedPlace implements Place {
  readonly context: SpanContext

  constructor(context: SpanContext) {
    this.context = context
  }

  get traceparent(): string {
    return written(this.context)
  }
}

/** In the form that OpenTelemetry's exporters read. */
class TracedSpan extends TracedPlace implements Span, ReadableSpan {
  readonly name: string
  readonly kind: SpanKind
  readonly parentSpanContext?: SpanContext
  readonly startTime: HrTime
  endTime: HrTime = [0, 0]
  readonly status: { code: SpanStatusCode } = { code: SpanStatusCode.UNSET }
  readonly attributes: Record<string, string | number | boolean> = {}
  readonly links: { context: SpanContext }[]
  readonly events: [] = []
  readonly droppedAttributesCount = 0
  readonly droppedEventsCount = 0
  readonly droppedLinksCount = 0
  ended = false
  readonly #shared: Shared
  readonly #startEpochMs: number
  readonly #here: Running

  constructor(shared: Shared, begun: Begun, toVendor: boolean) {
    super(begun.context)
    this.#shared = shared
    this.#startEpochMs = begun.startEpochMs
    this.#here = { place: this, toVendor }
    this.name = begun.name
    this.kind = begun.kind
    if (begun.parent) this.parentSpanContext = begun.parent
    this.startTime = timeOf(begun.startEpochMs)
    this.links = begun.link ? [{ context: begun.link }] : []
    this.set(begun.attributes)
  }

  get resource() {
    return this.#shared.resource
  }

  get instrumentationScope() {
    return this.#shared.instrumentationScope
  }

  get duration(): HrTime {
    const [[from, fromNs], [to, toNs]] = [this.startTime, this.endTime]
    return toNs < fromNs ? [to - from - 1, toNs - fromNs + 1e9] : [to - from, toNs - fromNs]
  }

  spanContext(): SpanContext {
    return this.context
  }

  run<T>(work: () => T): T {
    return this.#shared.running.run(this.#here, work)
  }

  set(attributes: Attributes): void {
    if (this.ended) return
    for (const name in attributes) {
      const value = attributes[name]
      if (value !== undefined) this.attributes[name] = value
    }
  }

  fail(type: string): void {
    if (this.ended) return
    this.attributes['error.type'] = type
    this.status.code = SpanStatusCode.ERROR
  }

  end(atMs?: number): void {
    this.endAt(Date.now() + (atMs === undefined ? 0 : atMs - performance.now()))
  }

  /** Outside any span, because the timer that sends spans would run in this one. */
  endAt(epochMs: number): void {
    if (this.ended) return
    this.endTime = timeOf(Math.max(this.#startEpochMs, epochMs))
    this.ended = true
    if (isSampled(this.context)) this.#shared.running.run(undefined, () => this.#shared.processor.onEnd(this))
  }
}

const contextOf = (place: Place): SpanContext => (place as TracedPlace).context

const isSampled = ({ traceFlags }: SpanContext) => (traceFlags & TraceFlags.SAMPLED) !== 0

function timeOf(epochMs: number): HrTime {
  const seconds = Math.floor(epochMs / 1_000)
  return [seconds, Math.min(Math.round((epochMs - seconds * 1_000) * 1e6), 999_999_999)]
}

const written = ({ traceId, spanId, traceFlags }: SpanContext) =>
  `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`

const form = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:-|$)/

function parsed(traceparent: string): SpanContext | undefined {
  const [, traceId, spanId, flags] = form.exec(traceparent) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED
  return { traceId, spanId, traceFlags, isRemote: true }
}
