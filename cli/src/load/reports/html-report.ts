import { spelledMs, spelledRate } from '../plan/quantities.ts'
import { spelledMeasured } from '../plan/targets.ts'
import { escaped, svgOf } from './charts.ts'
import type { LoadReport, SeriesReport, StepReport } from './load-report.ts'
import { style } from './html-style.ts'

const colours = { p50: '#2f6fde', p95: '#c2410c', done: '#15803d', failed: '#b91c1c' }
const verdictWords = { kept: 'Kept', broken: 'Broken', 'not valid': 'Not valid' } as const

/** One file that shows everything and loads nothing from elsewhere. */
export function htmlReport(report: LoadReport): string {
  const { gateway, generator, verdict, profile } = report
  const facts = {
    Gateway: `${gateway.url} (${gateway.env}, version ${gateway.version})`,
    Started: report.started_at,
    Duration: `${Math.round(report.seconds)} s`,
    Seed: String(report.seed),
    Generator: `${generator.machine}, ${generator.cores} cores, Node ${generator.node}`,
  }
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(`${profile}: ${verdict}`)}</title><style>${style}</style></head><body><main>
<header><h1>Load test: ${escaped(profile)}</h1><p class="verdict ${verdict.replace(' ', '-')}">${verdictWords[verdict]}</p></header>
${report.reasons.length > 0 ? `<ul class="reasons">${report.reasons.map((each) => `<li>${escaped(each)}</li>`).join('')}</ul>` : ''}
<dl>${Object.entries(facts)
    .map(([name, value]) => `<div><dt>${name}</dt><dd>${escaped(value)}</dd></div>`)
    .join('')}</dl>
<section><h2>Targets</h2>${targetsTable(report)}</section>
${report.series.map((series) => seriesSection(report, series)).join('\n')}
${report.failures.length > 0 ? `<section><h2>Failures</h2>${failuresTable(report)}</section>` : ''}
<section><h2>The generator itself</h2><p>How late its event loop was. If it is late, what it measured is worth nothing.</p>${generatorTable(report)}</section>
${deploymentSection(report)}
${report.left_behind.length > 0 ? `<section><h2>Left behind</h2><ul>${report.left_behind.map((each) => `<li>${escaped(each)}</li>`).join('')}</ul></section>` : ''}
</main></body></html>
`
}

function targetsTable({ targets }: LoadReport): string {
  const rows = targets.map(({ series, measure, limit, measured, verdict }) => [
    series,
    measure,
    measured === null ? 'nothing measured' : spelledMeasured(measure, measured),
    spelledMeasured(measure, limit),
    html(`<span class="verdict small ${verdict}">${verdict}</span>`),
  ])
  return table(['Series', 'Measure', 'Measured', 'Target', 'Verdict'], rows)
}

function seriesSection(report: LoadReport, series: SeriesReport): string {
  const { name, title, places, every_s } = series
  const figures = [latencyFigure(report, name)]
  if (!name.includes('.')) figures.push(throughputFigure(report, name)) // what leads to the main series goes as often
  return `<section><h2>${escaped(name)}</h2><p>${escaped(title)}; ${places} at once, each every ${every_s.toFixed(1)} s.</p>
${stepsTable(report.steps, name)}
${figures.join('\n')}</section>`
}

const marksOf = ({ steps }: LoadReport) => steps.slice(1).map(({ from_s }) => from_s)

function latencyFigure(report: LoadReport, name: string): string {
  const { timeline, targets } = report
  const wanted = targets.find(({ series, measure }) => series === name && measure === 'p95')
  const chart = svgOf({
    title: `Latency of ${name} over time`,
    unit: spelledMs,
    endS: report.seconds,
    marks: marksOf(report),
    limit: wanted && { value: wanted.limit, label: `target p95 ${spelledMs(wanted.limit)}` },
    lines: [
      {
        colour: colours.p50,
        points: timeline.map(({ at_s, series }) => [at_s, series[name]?.p50_ms ?? null]),
      },
      {
        colour: colours.p95,
        points: timeline.map(({ at_s, series }) => [at_s, series[name]?.p95_ms ?? null]),
      },
    ],
  })
  const keys = legend({ p50: colours.p50, p95: colours.p95 })
  return `<figure><figcaption>Latency, from when each was due ${keys}</figcaption>${chart}</figure>`
}

function throughputFigure(report: LoadReport, name: string): string {
  const { timeline } = report
  const chart = svgOf({
    title: `Throughput of ${name} over time`,
    unit: spelledRate,
    endS: report.seconds,
    marks: marksOf(report),
    lines: [
      { colour: colours.done, points: timeline.map(({ at_s, series }) => [at_s, series[name]?.per_s ?? 0]) },
      {
        colour: colours.failed,
        points: timeline.map(({ at_s, series }) => [at_s, perSecond(timeline, series[name]?.failed ?? 0)]),
      },
    ],
  })
  const keys = legend({ done: colours.done, failed: colours.failed })
  return `<figure><figcaption>Per second ${keys}</figcaption>${chart}</figure>`
}

function perSecond(timeline: LoadReport['timeline'], count: number): number {
  const [first, second] = timeline
  const everyS = first && second ? second.at_s - first.at_s : 1
  return count / everyS
}

function stepsTable(steps: readonly StepReport[], name: string): string {
  const rows = steps.map((step) => {
    const seen = step.series[name]
    const times = seen?.latency_ms
    const spelled = times
      ? [times.p50, times.p90, times.p95, times.p99, times.max].map(spelledMs)
      : ['–', '–', '–', '–', '–']
    return [
      `${Math.round(step.from_s)}–${Math.round(step.to_s)} s`,
      `${Math.round(100 * step.share)}%`,
      String(seen?.done ?? 0),
      String(seen?.failed ?? 0),
      spelledRate(seen?.per_s ?? 0),
      ...spelled,
    ]
  })
  return table(['Time', 'Load', 'Done', 'Failed', 'Per second', 'p50', 'p90', 'p95', 'p99', 'max'], rows)
}

const failuresTable = ({ failures }: LoadReport) =>
  table(
    ['Count', 'Series', 'Kind', 'What happened'],
    failures.map(({ count, series, kind, sentence }) => [String(count), series, kind, sentence]),
  )

const generatorTable = ({ steps }: LoadReport) =>
  table(
    ['Time', 'Late, p50', 'Late, p99', 'Late, max', 'Cores used'],
    steps.map(({ from_s, to_s, generator }) => [
      `${Math.round(from_s)}–${Math.round(to_s)} s`,
      spelledMs(generator.p50_ms),
      spelledMs(generator.p99_ms),
      spelledMs(generator.max_ms),
      generator.cores.toFixed(2),
    ]),
  )

function deploymentSection({ steps }: LoadReport): string {
  const names = [...new Set(steps.flatMap(({ deployment }) => Object.keys(deployment ?? {})))]
  if (names.length === 0) return ''
  const rows = names.map((name) => [
    name,
    ...steps.map(({ deployment }) => String(deployment?.[name] ?? '–')),
  ])
  const headings = ['Metric', ...steps.map(({ to_s }) => `${Math.round(to_s)} s`)]
  return `<section><h2>The deployment</h2><p>Its own metrics at the end of each step.</p>${table(headings, rows)}</section>`
}

interface Html {
  html: string
}
const html = (text: string): Html => ({ html: text })

function table(headings: readonly string[], rows: readonly (readonly (string | Html)[])[]): string {
  const head = headings.map((each) => `<th scope="col">${escaped(each)}</th>`).join('')
  const body = rows.map(
    (row) =>
      `<tr>${row.map((cell) => `<td>${typeof cell === 'string' ? escaped(cell) : cell.html}</td>`).join('')}</tr>`,
  )
  return `<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table></div>`
}

const legend = (lines: Readonly<Record<string, string>>) =>
  Object.entries(lines)
    .map(([label, colour]) => `<span class="key"><i style="background:${colour}"></i>${label}</span>`)
    .join('')
