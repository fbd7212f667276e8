import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

/** What a metric is registered from: a row of a table of metrics. */
export interface MeterRow {
  name: string
  type: 'counter' | 'gauge' | 'histogram'
  help: string
  /** Every value that a label may have, or what they are if these depend on the installation. */
  labels: Readonly<Record<string, readonly string[] | string>>
  buckets?: readonly number[]
}

export interface MeterNames {
  counter: string
  gauge: string
  histogram: string
}

/** The value of one series of a gauge, with its labels in the order of the table. */
export type Reading = readonly [value: number, ...labels: string[]]

/** The values that a label may have. */
export interface LabelSet {
  has(value: string): boolean
}

type Readings = Iterable<Reading> | Promise<Iterable<Reading>>

/** A scrape does not wait longer for what is counted elsewhere, such as in a database. */
const readWithinMs = 3_000
const other = 'other'
/** A counter with more series begins without them. */
const mostAtStart = 100

interface Series {
  inc(by: number): void
  observe(value: number): void
}

interface Meter {
  row: MeterRow
  labelNames: string[]
  metric: Counter | Histogram
  /** Looking a series up by its labels costs more than counting. */
  series: Map<string, Series>
}

/** The metrics of a process, registered from the rows of a table. A value outside of a label's set becomes `other`. */
export class Meters<Names extends MeterNames> {
  readonly registry: Registry
  readonly #rows: ReadonlyMap<string, MeterRow>
  readonly #meters = new Map<string, Meter>()
  readonly #sets = new Map<string, LabelSet>()

  constructor(rows: readonly MeterRow[], registry = new Registry()) {
    this.registry = registry
    this.#rows = new Map(rows.map((row) => [row.name, row]))
    for (const row of rows) if (row.type !== 'gauge') this.#register(row)
    collectDefaultMetrics({ register: registry })
  }

  /** Limits a label whose values depend on the installation. Until then every value is `other`. */
  limit(label: string, values: LabelSet) {
    this.#sets.set(label, values)
  }

  count(name: Names['counter'], labels: readonly string[] = [], by = 1) {
    this.#seriesOf(name, labels).inc(by)
  }

  observe(name: Names['histogram'], value: number, labels: readonly string[] = []) {
    this.#seriesOf(name, labels).observe(value)
  }

  /** Reads the values at each scrape; if that fails or takes too long, the scrape goes without them. */
  gauge(name: Names['gauge'], read: () => Readings) {
    const row = this.#rowOf(name)
    const labelNames = Object.keys(row.labels)
    const clear = () => {
      gauge.reset()
      if (labelNames.length === 0) gauge.remove({}) // its reset leaves a zero
    }
    const collect = async () => {
      clear()
      for (const [value, ...labels] of await within(read))
        gauge.set(this.#labelled(row, labelNames, labels), value)
    }
    const gauge: Gauge = new Gauge({
      name,
      help: row.help,
      labelNames,
      registers: [this.registry],
      collect: () => collect().catch(clear),
    })
  }

  #register(row: MeterRow) {
    const labelNames = Object.keys(row.labels)
    const { name, help, buckets = [] } = row
    const given = { name, help, labelNames, registers: [this.registry] }
    const metric =
      row.type === 'counter' ? new Counter(given) : new Histogram({ ...given, buckets: [...buckets] })
    this.#meters.set(name, { row, labelNames, metric, series: new Map() })
    // so that a counter is there, and its first increase is seen
    const atStart = row.type === 'counter' ? combinations(row) : []
    if (metric instanceof Counter && atStart.length <= mostAtStart)
      for (const labels of atStart) metric.inc(labels, 0)
  }

  #seriesOf(name: string, labels: readonly string[]): Series {
    const meter = this.#meters.get(name)
    if (!meter) throw new Error(`${name} is no counter or histogram of this process`)
    const key = labels.join('\n')
    const known = meter.series.get(key)
    if (known) return known
    const { row, labelNames, metric, series } = meter
    const named = this.#labelled(row, labelNames, labels)
    const made: Series =
      metric instanceof Counter
        ? { inc: (by) => metric.inc(named, by), observe() {} }
        : { inc() {}, observe: withLabels(metric, named) }
    // what comes from outside may be anything, and is not remembered unless it is one of the values
    if (Object.values(named).join('\n') === key) series.set(key, made)
    return made
  }

  #labelled(row: MeterRow, names: readonly string[], values: readonly string[]) {
    return Object.fromEntries(
      names.map((name, at) => {
        const value = values[at] ?? other
        const set = row.labels[name]
        const isKnown = typeof set === 'string' ? this.#sets.get(name)?.has(value) : set?.includes(value)
        return [name, isKnown ? value : other]
      }),
    )
  }

  #rowOf(name: string): MeterRow {
    const row = this.#rows.get(name)
    if (!row) throw new Error(`${name} is no metric of this process`)
    return row
  }
}

const withLabels = (metric: Histogram, labels: Record<string, string>) => {
  const series = metric.labels(labels)
  return (value: number) => series.observe(value)
}

/** Every combination of a row's values; none if one of its labels depends on the installation. */
function combinations({ labels }: MeterRow): Record<string, string>[] {
  let all: Record<string, string>[] = [{}]
  for (const [name, values] of Object.entries(labels)) {
    if (typeof values === 'string') return []
    all = all.flatMap((labelled) => values.map((value) => ({ ...labelled, [name]: value })))
  }
  return all
}

async function within(read: () => Readings): Promise<Iterable<Reading>> {
  const { promise: late, resolve } = Promise.withResolvers<Iterable<Reading>>()
  const timer = setTimeout(() => resolve([]), readWithinMs)
  try {
    return await Promise.race([late, read()])
  } finally {
    clearTimeout(timer)
  }
}
