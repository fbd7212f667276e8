import { callMetrics, vendorMetrics } from './call-metrics.ts'
import type { Metric, MetricPart } from './metric.ts'
import { processMetrics } from './process-metrics.ts'
import { telephonyMetrics } from './telephony-metrics.ts'
import { webhookMetrics } from './webhook-metrics.ts'

const table = [
  ...callMetrics,
  ...vendorMetrics,
  ...telephonyMetrics,
  ...webhookMetrics,
  ...processMetrics,
] as const

type Row = (typeof table)[number]
type NameOf<Type extends Metric['type']> = Extract<Row, { type: Type }>['name']

export interface MetricNames {
  counter: NameOf<'counter'>
  gauge: NameOf<'gauge'>
  histogram: NameOf<'histogram'>
}

/** Every metric of gateway, worker and voice server. Names are stable: rules and dashboards of operators use them. */
export const metrics: readonly Metric[] = table

/** Those that a process registers itself. */
export const metricsOf = (part: MetricPart): Metric[] =>
  metrics.filter(({ parts, isDefault }) => parts.includes(part) && !isDefault)

export function metricNamed(name: MetricNames[keyof MetricNames]): Metric {
  const found = metrics.find((metric) => metric.name === name)
  if (!found) throw new Error(`${name} is in the table`)
  return found
}
