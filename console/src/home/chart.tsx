import type { OverviewPoint } from '@switchroom/contract/insights'
import { Link } from 'wouter'
import { Section } from '../ui/page.tsx'
import { Table, type Column } from '../ui/table.tsx'

export interface Series {
  name: string
  /** Null where there is nothing to measure. */
  of: (point: OverviewPoint) => number | null
  text: (value: number) => string
}

interface ChartProps {
  title: string
  hint?: string
  step: 'hour' | 'day'
  points: readonly OverviewPoint[]
  series: readonly Series[]
  /** The calls of the hour or day that begins then. */
  linkOf: (from: number) => string
}

const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' })
const hour = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' })

/** One series as bars, several as lines; the same numbers as a table below. */
export function Chart({ title, hint, step, points, series, linkOf }: ChartProps) {
  const [first] = series
  const most = Math.max(0, ...points.flatMap((point) => series.map(({ of }) => of(point) ?? 0)))
  const timeOf = (from: number) => (step === 'hour' ? hour : day).format(new Date(from * 1000))
  const [oldest, newest] = [points[0], points.at(-1)]
  const columns: Column<OverviewPoint>[] = [
    {
      title: step === 'hour' ? 'Hour' : 'Day',
      cell: ({ from }) => <Link href={linkOf(from)}>{timeOf(from)}</Link>,
    },
    ...series.map(({ name, of, text }) => ({
      title: name,
      isNumeric: true,
      cell: (point: OverviewPoint) => {
        const value = of(point)
        return value === null ? '–' : text(value)
      },
    })),
  ]
  return (
    <Section title={title} hint={hint}>
      <figure className="chart">
        <div className="chart-most soft">{first?.text(most)}</div>
        <svg
          viewBox={`0 0 ${points.length} 100`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${title}: ${series.map(({ name }) => name).join(' and ')} of each ${step}, ${first?.text(most) ?? ''} at most`}
        >
          <line className="chart-grid" x1="0" x2={points.length} y1="50" y2="50" />
          <line className="chart-grid" x1="0" x2={points.length} y1="100" y2="100" />
          {series.length === 1 && first ? (
            <Bars points={points} series={first} most={most} timeOf={timeOf} />
          ) : (
            series.map((each, at) => (
              <Line key={each.name} at={at} points={points} series={each} most={most} />
            ))
          )}
        </svg>
        <div className="chart-times soft">
          <span>{oldest ? timeOf(oldest.from) : ''}</span>
          <span>{newest ? timeOf(newest.from) : ''}</span>
        </div>
        {series.length > 1 ? (
          <figcaption className="chart-legend">
            {series.map(({ name }, at) => (
              <span key={name} className={`chart-key line-${at}`}>
                {name}
              </span>
            ))}
          </figcaption>
        ) : null}
      </figure>
      <details className="chart-table">
        <summary>
          Table <span className="sr-only">of {title}</span>
        </summary>
        <Table caption={title} rows={points} rowKey={({ from }) => String(from)} columns={columns} />
      </details>
    </Section>
  )
}

interface DrawnProps {
  points: readonly OverviewPoint[]
  series: Series
  most: number
}

function Bars({
  points,
  series: { of, text },
  most,
  timeOf,
}: DrawnProps & { timeOf: (from: number) => string }) {
  return points.map((point, at) => {
    const value = of(point) ?? 0
    const height = most === 0 ? 0 : (100 * value) / most
    return (
      <rect
        key={point.from}
        className="chart-bar"
        x={at + 0.12}
        width={0.76}
        y={100 - height}
        height={height}
      >
        <title>{`${timeOf(point.from)}: ${text(value)}`}</title>
      </rect>
    )
  })
}

/** Broken where there is nothing; a point that stands alone is a dash. */
function Line({ points, series: { of }, most, at }: DrawnProps & { at: number }) {
  const heights = points.map((point) => {
    const value = of(point)
    return value === null || most === 0 ? null : 100 - (96 * value) / most
  })
  const path = heights
    .map((height, place) => {
      if (height === null) return ''
      const [x, y] = [place + 0.5, height.toFixed(1)]
      const before = heights[place - 1] ?? null
      if (before !== null) return `L${x} ${y}`
      const isAlone = (heights[place + 1] ?? null) === null
      return isAlone ? `M${x - 0.3} ${y}h0.6` : `M${x} ${y}`
    })
    .join('')
  return <path className={`chart-line line-${at}`} d={path} vectorEffect="non-scaling-stroke" />
}
