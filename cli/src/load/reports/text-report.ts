import { spelledMs, spelledRate } from '../plan/quantities.ts'
import { spelledMeasured } from '../plan/targets.ts'
import type { LoadReport, StepSeries } from './load-report.ts'

/** For a terminal: steps as a table for each series, failures, targets, the verdict last. */
export function textReport(report: LoadReport): string {
  const { series, steps, targets, failures, reasons, verdict, gateway, seed, left_behind } = report
  const lines = [
    `${report.profile} against ${gateway.url} (${gateway.env}, version ${gateway.version}), seed ${seed}, ${Math.round(report.seconds)} s`,
  ]
  for (const { name, title, places, every_s } of series) {
    lines.push('', `${name}: ${title}; ${places} at once, each every ${every_s.toFixed(1)} s`)
    lines.push(...aligned([headings, ...steps.map((step) => rowOf(step, step.series[name]))]))
  }
  if (failures.length > 0)
    lines.push(
      '',
      'failures',
      ...failures.map((each) => `  ${each.count} × ${each.series} ${each.kind}: ${each.sentence}`),
    )
  lines.push('', 'targets')
  for (const { series: name, measure, limit, measured, verdict: each } of targets) {
    const seen = measured === null ? 'nothing measured' : spelledMeasured(measure, measured)
    lines.push(`  ${each.padEnd(6)}  ${name} ${measure}: ${seen} (target ${spelledMeasured(measure, limit)})`)
  }
  const deployment = steps.at(-1)?.deployment
  if (deployment) {
    lines.push('', 'the deployment at the end')
    for (const [metric, value] of Object.entries(deployment)) lines.push(`  ${metric} ${value}`)
  }
  lines.push('', `verdict: ${verdict}`, ...reasons.map((reason) => `  ${reason}`))
  if (left_behind.length > 0) lines.push('', 'left behind', ...left_behind.map((each) => `  ${each}`))
  return lines.join('\n')
}

const headings = ['seconds', 'load', 'done', 'failed', 'per s', 'p50', 'p90', 'p95', 'p99', 'max', 'own p99']

function rowOf(step: LoadReport['steps'][number], seen: StepSeries | undefined): string[] {
  const times = seen?.latency_ms
  const spelled = times
    ? [times.p50, times.p90, times.p95, times.p99, times.max].map(spelledMs)
    : Array<string>(5).fill('-')
  return [
    `${Math.round(step.from_s)}-${Math.round(step.to_s)}`,
    `${Math.round(100 * step.share)}%`,
    String(seen?.done ?? 0),
    String(seen?.failed ?? 0),
    spelledRate(seen?.per_s ?? 0),
    ...spelled,
    spelledMs(step.generator.p99_ms),
  ]
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = headings.map((_, at) => Math.max(...rows.map((row) => (row[at] ?? '').length)))
  return rows.map((row) => `  ${row.map((cell, at) => cell.padStart(widths[at] ?? 0)).join('  ')}`)
}
