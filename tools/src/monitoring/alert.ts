/** A rule, with what it means to the person that it wakes. */
export interface Alert {
  name: string
  expr: string
  /** How long it must hold. */
  for: string
  severity: 'critical' | 'warning'
  /** One line, with labels in double braces as Prometheus writes them. */
  summary: string
  meaning: string
  /** What to do, first things first. */
  steps: readonly string[]
  /** Series under which it fires, and such under which it does not, as promtool writes them: a value each minute. */
  fires: Readonly<Record<string, string>>
  silent: Readonly<Record<string, string>>
}

/** The share of one rate in another, over ten minutes. */
export const ratio = (part: string, whole: string) => `sum(rate(${part}[10m])) / sum(rate(${whole}[10m]))`

export const quantile = (q: number, name: string, labels = '', range = '10m') =>
  `histogram_quantile(${q}, sum by (le) (rate(${name}_bucket${labels}[${range}])))`
