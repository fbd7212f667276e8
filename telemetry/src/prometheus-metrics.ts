import { ValueType, type HrTime } from '@opentelemetry/api'
import {
  AggregationTemporality,
  DataPointType,
  type DataPoint,
  type Histogram,
  type MetricData,
} from '@opentelemetry/sdk-metrics'

/** A metric as a registry of `prom-client` gives it. */
export interface PrometheusMetric {
  name: string
  help: string
  type: unknown
  values: readonly PrometheusValue[]
}

interface PrometheusValue {
  value: number
  labels: Partial<Record<string, string | number>>
  /** Of a histogram: with `_bucket`, `_sum` or `_count` behind its name. */
  metricName?: string
}

interface Times {
  startTime: HrTime
  endTime: HrTime
}

/** The same metrics as OTLP has them. Summaries have no place there that is worth one, and are left out. */
export const otlpMetrics = (metrics: readonly PrometheusMetric[], times: Times): MetricData[] =>
  metrics.flatMap((metric) => {
    const data = dataOf(metric, times)
    return data ? [data] : []
  })

function dataOf({ name, help, type, values }: PrometheusMetric, times: Times): MetricData | undefined {
  const descriptor = { name, description: help, unit: unitOf(name), valueType: ValueType.DOUBLE }
  const common = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE }
  const points = () => values.map(({ value, labels }) => pointOf(labels, value, times))
  if (type === 'counter')
    return { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points() }
  if (type === 'gauge') return { ...common, dataPointType: DataPointType.GAUGE, dataPoints: points() }
  if (type !== 'histogram') return undefined
  return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints: histogramsOf(name, values, times) }
}

function histogramsOf(
  name: string,
  values: readonly PrometheusValue[],
  times: Times,
): DataPoint<Histogram>[] {
  const series = Map.groupBy(values, ({ labels }) => JSON.stringify({ ...labels, le: undefined }))
  return [...series.values()].map((all) => {
    const labels = { ...all[0]?.labels, le: undefined }
    const only = (what: string) => all.filter(({ metricName }) => metricName === name + what)
    const buckets = only('_bucket').toSorted((a, b) => boundOf(a) - boundOf(b))
    const counts = buckets.map(({ value }, at) => value - (buckets[at - 1]?.value ?? 0))
    const boundaries = buckets.map(boundOf).filter(Number.isFinite)
    const [sum = 0, count = 0] = [only('_sum')[0]?.value, only('_count')[0]?.value]
    return pointOf(labels, { buckets: { boundaries, counts }, sum, count }, times)
  })
}

const boundOf = ({ labels: { le } }: PrometheusValue) => (le === '+Inf' ? Infinity : Number(le))

const pointOf = <T>(labels: PrometheusValue['labels'], value: T, times: Times): DataPoint<T> => ({
  ...times,
  attributes: labels,
  value,
})

/** Prometheus has the unit in the name. */
function unitOf(name: string): string {
  if (/_seconds(?:_total)?$/.test(name)) return 's'
  return /_bytes(?:_total)?$/.test(name) ? 'By' : ''
}
