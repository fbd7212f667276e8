// Spans, without OpenTelemetry: its packages are loaded only in a process that sends spans (`open-telemetry.ts`).
// Everywhere else each of these functions looks at one variable and does nothing more.

/** Names, counts and durations: never what a caller said, a phone number or a secret. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

/** A place in a trace, which spans are put under. */
export interface Place {
  /** As W3C Trace Context writes it. */
  readonly traceparent: string
}

/** Something that takes time. */
export interface Span extends Place {
  /** What the work does is put under this span. */
  run<T>(work: () => T): T
  set(attributes: Attributes): void
  /** The type of an error, in a word: its message may hold what a caller said. */
  fail(type: string): void
  end(atMs?: number): void
}

export interface SpanOptions {
  kind?: 'internal' | 'server' | 'client'
  attributes?: Attributes
  /** On the clock of `performance.now()`. Default: now. */
  startMs?: number
  /** Default: where the code runs now. */
  under?: Place | undefined
  /** Begins a trace of its own if there is nothing to put it under. */
  isRoot?: boolean
  /** It is related to this place, which is in another trace. */
  link?: Place | undefined
  /** The requests that are made in it go to a vendor, with the span in a header. */
  toVendor?: boolean
}

/** A call that is over. Times are epoch milliseconds. */
export interface EndedCall {
  traceparent: string
  startedAtMs: number
  endedAtMs: number
  attributes: Attributes
}

export interface Tracer {
  readonly active: Place | undefined
  start(name: string, options: SpanOptions): Span | undefined
  run<T>(place: Place | undefined, work: () => T, toVendor?: boolean): T
  /** Undefined if it is none. */
  place(traceparent: string): Place | undefined
  /** Null if the sampler leaves this call out. */
  newCall(): string | null
  callEnded(call: EndedCall): void
}

let tracer: Tracer | undefined

/** From now on spans are sent; undefined: no longer. */
export function useTracer(used: Tracer | undefined): void {
  tracer = used
}

export const isTracing = (): boolean => tracer !== undefined

/** Where the code runs now. Events of a socket or a timer run where it was opened. */
export const activePlace = (): Place | undefined => tracer?.active

/** Undefined unless there is something to put it under, so that background work leaves no spans. */
export const startSpan = (name: string, options: SpanOptions = {}): Span | undefined =>
  tracer?.start(name, options)

export const placeOf = (traceparent: string | null | undefined): Place | undefined =>
  traceparent ? tracer?.place(traceparent) : undefined

/** What the work does is put there, or nowhere. */
export const runAt = <T>(place: Place | undefined, work: () => T): T =>
  tracer ? tracer.run(place, work) : work()

/** The same, and vendors are told the place. */
export const runForVendor = <T>(place: Place | undefined, work: () => T): T =>
  tracer ? tracer.run(place, work, true) : work()

/** The place of a new call, in a trace of its own; null if it is not traced. */
export const newCallTrace = (): string | null => tracer?.newCall() ?? null

/** The span of the whole call, which everything about it is under. */
export const callEnded = (call: EndedCall): void => tracer?.callEnded(call)

export const traceIdOf = (traceparent: string): string => traceparent.slice(3, 35)

/** Runs the work in a span, which fails if the work does. */
export async function inSpan<T>(
  name: string,
  options: SpanOptions,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  const span = tracer?.start(name, options)
  if (!span) return work(undefined)
  try {
    return await span.run(() => work(span))
  } catch (error) {
    span.fail(typeOf(error))
    throw error
  } finally {
    span.end()
  }
}

/** The class of an error, or its code. */
export function typeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'error'
  if ('kind' in error && typeof error.kind === 'string') return error.kind
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
