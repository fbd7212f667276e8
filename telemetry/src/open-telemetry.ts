import { diag, DiagLogLevel } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  type Resource,
} from '@opentelemetry/resources'
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { PrometheusMetric } from './prometheus-metrics.ts'
import { samplerOf } from './sampling.ts'
import { SpanTracer } from './span-tracer.ts'
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
  const processor = new BatchSpanProcessor(new OTLPTraceExporter())
  const spans = new SpanTracer({
    resource,
    instrumentationScope: { name: 'switchroom', version },
    processor,
    isSampled: samplerOf(process.env),
  })
  useTracer(spans)
  const stopTelling = tellVendors(() => spans.vendorTraceparent)
  return () => {
    useTracer(undefined)
    stopTelling()
    return processor.shutdown()
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
