import type { DashboardName, Metric } from '@switchroom/contract/metrics/metric'
import { metrics } from '@switchroom/contract/metrics/table'

export interface PanelQuery {
  expr: string
  /** Of a line: text with labels in double braces. */
  legend: string
}

export interface Panel {
  title: string
  description: string
  unit: string
  queries: PanelQuery[]
}

/** Grafana's own names. */
const units = { count: 'short', seconds: 's', ratio: 'percentunit', bytes: 'bytes', mos: 'none' } as const

/** The panels of a dashboard, in the order of the table; metrics with the same title share one. */
export function panelsOf(dashboard: DashboardName): Panel[] {
  const shown = metrics.filter(({ panel }) => panel.dashboard === dashboard)
  return [...Map.groupBy(shown, ({ panel }) => panel.title)].map(([title, rows]) => ({
    title,
    description: rows.map(({ help, measured }) => `${help}. ${measured}`).join('\n\n'),
    unit: unitOf(rows[0]),
    queries: rows.flatMap((row) => queriesOf(row, rows.length > 1)),
  }))
}

function unitOf(metric: Metric | undefined): string {
  if (!metric) throw new Error('a panel shows a metric')
  if (metric.type === 'counter') return metric.unit === 'count' ? 'ops' : 'percentunit'
  return units[metric.unit]
}

function queriesOf(metric: Metric, isShared: boolean): PanelQuery[] {
  const { name, type, panel } = metric
  const { by, over = 'sum' } = panel
  const lines = by.map((label) => `{{${label}}}`)
  const legend = lines.length > 0 ? lines.join(' ') : isShared ? name : panel.title.toLowerCase()
  if (type === 'gauge') return [{ expr: `${over}${grouped(by)} (${name})`, legend }]
  if (type === 'counter') return [{ expr: `sum${grouped(by)} (rate(${name}[$__rate_interval]))`, legend }]
  const quantiles = by.length === 0 ? [0.5, 0.95, 0.99] : [0.5, 0.95]
  return quantiles.map((quantile) => ({
    expr: `histogram_quantile(${quantile}, sum by (${['le', ...by].join(', ')}) (rate(${name}_bucket[$__rate_interval])))`,
    legend: [`p${quantile * 100}`, ...lines].join(' '),
  }))
}

const grouped = (by: readonly string[]) => (by.length === 0 ? '' : ` by (${by.join(', ')})`)
