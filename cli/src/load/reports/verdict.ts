import { spelledMs } from '../plan/quantities.ts'
import { spelledMeasured, type Target } from '../plan/targets.ts'
import type { JudgedTarget, StepReport } from './load-report.ts'

export interface Verdict {
  verdict: 'kept' | 'broken' | 'not valid'
  reasons: string[]
  targets: JudgedTarget[]
}

/** Judges the step that holds the whole load; the steps before it only lead there. */
export function judge(
  held: StepReport,
  targets: readonly (Target & { series: string })[],
  mostOwnDelayMs: number,
): Verdict {
  const judged = targets.map((target) => judgeOne(held, target))
  const broken = judged.filter(({ verdict }) => verdict === 'broken').map(sentenceOf)
  const ownMs = held.generator.p99_ms
  if (ownMs > mostOwnDelayMs)
    return {
      verdict: 'not valid',
      targets: judged,
      reasons: [
        `the generator itself was the bottleneck: its event loop was ${spelledMs(ownMs)} late (p99), more than the ${spelledMs(mostOwnDelayMs)} of --own-delay: run it on a machine of its own, or with less load`,
        ...broken,
      ],
    }
  return { verdict: broken.length > 0 ? 'broken' : 'kept', targets: judged, reasons: broken }
}

function judgeOne(held: StepReport, { series, measure, limit }: Target & { series: string }): JudgedTarget {
  const measured = measuredOf(held, series, measure)
  const isKept = measured !== null && measured <= limit
  return { series, measure, limit, measured, verdict: isKept ? 'kept' : 'broken' }
}

function measuredOf({ series: all }: StepReport, series: string, measure: Target['measure']): number | null {
  const seen = all[series]
  if (!seen) return null
  const count = seen.done + seen.failed
  if (measure === 'failures') return count === 0 ? null : seen.failed / count
  return seen.latency_ms?.[measure] ?? null
}

function sentenceOf({ series, measure, limit, measured }: JudgedTarget): string {
  const wanted = spelledMeasured(measure, limit)
  if (measured === null)
    return `${series}: nothing was measured, so ${measure} of at most ${wanted} is not kept`
  const verb = measure === 'failures' ? 'were' : 'was'
  return `${series}: ${measure} ${verb} ${spelledMeasured(measure, measured)}, and ${wanted} is the target`
}
