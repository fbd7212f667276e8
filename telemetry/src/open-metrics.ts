import type { HrTime } from '@opentelemetry/api'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import type { Resource } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader, type MetricProducer } from '@opentelemetry/sdk-metrics'
import { otlpMetrics, type PrometheusMetric } from './prometheus-metrics.ts'

const usualIntervalMs = 60_000
const usualTimeoutMs = 30_000

/** Sends what Prometheus would scrape, every minute unless the environment says otherwise. */
export function openMetrics(
  resource: Resource,
  read: () => Promise<readonly PrometheusMetric[]>,
): MeterProvider {
  const startTime = now()
  const producer: MetricProducer = {
    async collect() {
      const metrics = otlpMetrics(await read(), { startTime, endTime: now() })
      return {
        resourceMetrics: { resource, scopeMetrics: [{ scope: { name: 'switchroom' }, metrics }] },
        errors: [],
      }
    },
  }
  const exportIntervalMillis = millisecondsIn('OTEL_METRIC_EXPORT_INTERVAL') ?? usualIntervalMs
  const timeoutMs = millisecondsIn('OTEL_METRIC_EXPORT_TIMEOUT') ?? usualTimeoutMs
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter(),
    exportIntervalMillis,
    exportTimeoutMillis: Math.min(timeoutMs, exportIntervalMillis),
    metricProducers: [producer],
  })
  return new MeterProvider({ resource, readers: [reader] })
}

function now(): HrTime {
  const ms = Date.now()
  return [Math.floor(ms / 1_000), (ms % 1_000) * 1e6]
}

function millisecondsIn(name: string): number | undefined {
  const value = Number(process.env[name] ?? '')
  return value > 0 ? value : undefined
}
