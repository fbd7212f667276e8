import type { WorkerConfig } from '@switchroom/contract/calls'
import type { Judging } from '@switchroom/contract/settings'
import { StageReading } from '../../agents/stages/stages.ts'
import { runVendor, type RunParts } from './resolved-stages.ts'

/** The model a call is judged on; builds and options come from the layer that chose it, unless the agent has its own. */
export function judgeRun(
  parts: Pick<RunParts, 'vendors' | 'row' | 'layers' | 'sourceOf'>,
  judging: Judging | null,
): WorkerConfig['judge'] {
  const { vendors, row, layers } = parts
  const { from, ...chosen } = new StageReading(vendors, row).judge(layers, judging?.judge ?? null)
  const orgs = from === 'org' ? judging : null
  const builds = layers.get('judge_builds') ?? orgs?.judge_builds ?? null
  const options = layers.get('judge_options') ?? orgs?.judge_options ?? {}
  const { source: _source, ...run } = runVendor('judge', { ...chosen, builds, options }, parts)
  return { ...run, from: from === 'agent' && layers.isDeclared('judge') ? 'class' : from }
}
