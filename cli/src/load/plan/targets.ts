import { durationMs, spelledMs } from './quantities.ts'

export const measures = ['p50', 'p90', 'p95', 'p99', 'max', 'failures'] as const
export type Measure = (typeof measures)[number]

/** A limit of one series in the step that holds the whole load: milliseconds, or a share from 0 to 1 for failures. */
export interface Target {
  /** Null is the main series of every profile of the run. */
  series: string | null
  measure: Measure
  limit: number
}

/** As `p95=1.5s`, `failures=1%`, `calls.setup.p95=800ms`; undefined for anything else. */
export function targetIn(text: string): Target | undefined {
  const [, series, name, value = ''] =
    /^(?:([a-z]+(?:\.[a-z]+)?)\.)?([a-z]+\d*)=(.+)$/.exec(text.trim()) ?? []
  const measure = measures.find((known) => known === name)
  if (measure === undefined) return undefined
  const limit = measure === 'failures' ? shareIn(value) : durationMs(value)
  return limit === undefined ? undefined : { series: series ?? null, measure, limit }
}

function shareIn(text: string): number | undefined {
  const percent = /^(\d{1,3}(?:\.\d{1,4})?)%$/.exec(text.trim())?.[1]
  return percent === undefined || Number(percent) > 100 ? undefined : Number(percent) / 100
}

export const targetForm = 'a target is written as p95=1.5s, failures=1% or calls.setup.p95=800ms'

export const spelledMeasured = (measure: Measure, value: number): string =>
  measure === 'failures' ? `${Number((100 * value).toFixed(2))}%` : spelledMs(value)

/** The wanted targets, and beside them the usual ones of each series that they leave open. */
export function targetsFor(
  wanted: readonly Target[],
  usual: Readonly<Record<string, readonly string[]>>,
  mainSeries: readonly string[],
): (Target & { series: string })[] {
  const spread = wanted.flatMap((target) =>
    (target.series === null ? mainSeries : [target.series]).map((series) => ({ ...target, series })),
  )
  const isOpen = (series: string, measure: Measure) =>
    !spread.some((target) => target.series === series && isSameKind(target.measure, measure))
  const rest = Object.entries(usual).flatMap(([series, texts]) =>
    texts.flatMap((text) => {
      const target = targetIn(text)
      return target && isOpen(series, target.measure) ? [{ ...target, series }] : []
    }),
  )
  return [...spread, ...rest].toSorted((one, other) => one.series.localeCompare(other.series))
}

/** Who sets any limit of the times wants no other limit of them. */
const isSameKind = (one: Measure, other: Measure) => (one === 'failures') === (other === 'failures')
