/** The processes that serve metrics. */
export const metricParts = ['gateway', 'worker', 'voice server'] as const
export type MetricPart = (typeof metricParts)[number]

export const dashboards = ['calls', 'telephony', 'vendors', 'processes'] as const
export type DashboardName = (typeof dashboards)[number]

/** How a metric is shown; metrics with the same title share a panel. */
export interface MetricPanel {
  dashboard: DashboardName
  title: string
  /** The labels that lines are told apart by. */
  by: readonly string[]
  /** For gauges: each process reports its own share (`sum`), or all report the same or the worst counts (`max`). */
  over?: 'sum' | 'max'
}

/** A row of the table: what one metric is, from which it is registered, shown and explained. */
export interface Metric {
  name: string
  type: 'counter' | 'gauge' | 'histogram'
  /** Of a value: what a dashboard writes behind it. */
  unit: 'count' | 'seconds' | 'ratio' | 'bytes' | 'mos'
  /** Each label with every value that it may have, or, if these depend on the installation, what they are. */
  labels: Readonly<Record<string, readonly string[] | string>>
  help: string
  parts: readonly MetricPart[]
  /** Where a value comes from, as a sentence. */
  measured: string
  /** Upper bounds, for a histogram. */
  buckets?: readonly number[]
  /** Measured by the metrics library itself in every process. */
  isDefault?: true
  panel: MetricPanel
}

/** What a value outside of a label's closed set becomes. */
export const otherValue = 'other'

/** Of requests and of statements: milliseconds to ten seconds. */
export const quickBucketsS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const

/** Of what a caller waits for. */
export const waitBucketsS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9, 1.2, 1.6, 2, 3, 5, 8, 15] as const
