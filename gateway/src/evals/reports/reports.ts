import type { EvalComparison, EvalReport } from '@switchroom/contract/evals'
import type { Caller } from '../../foundation/caller.ts'
import { badRequest } from '../../foundation/refusals.ts'
import type { Runs } from '../runs/runs.ts'
import { comparisonOf } from './comparison.ts'
import { reportOf } from './report.ts'

/** What came of a run, and of two side by side. */
export class Reports {
  readonly #runs: Runs

  constructor(runs: Runs) {
    this.#runs = runs
  }

  async read(caller: Caller, id: string): Promise<EvalReport> {
    const { run, scenarios, settled } = await this.#runs.settled(caller, id)
    return { run, ...reportOf(scenarios, settled) }
  }

  async compare(caller: Caller, id: string, earlier: string): Promise<EvalComparison> {
    const after = await this.read(caller, id)
    const before = await this.read(caller, earlier)
    if (before.run.agent !== after.run.agent)
      throw badRequest(`with: run ${earlier} is of ${before.run.agent}, and run ${id} of ${after.run.agent}`)
    return comparisonOf(before, after)
  }
}
