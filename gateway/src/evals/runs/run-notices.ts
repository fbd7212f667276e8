import type { Signals } from '../../database/signals.ts'

const channel = 'eval_runs'

/** Tells this gateway and the others that a run has calls to make, or that one of its calls has settled. */
export class RunNotices {
  readonly #signals: Signals
  readonly #hearers: ((run: string) => void)[] = []

  constructor(signals: Signals) {
    this.#signals = signals
    signals.on(channel, (run) => this.#tell(run))
  }

  on(hear: (run: string) => void) {
    this.#hearers.push(hear)
  }

  send(run: string) {
    this.#tell(run)
    this.#signals.send(channel, run)
  }

  #tell(run: string) {
    for (const hear of this.#hearers) hear(run)
  }
}
