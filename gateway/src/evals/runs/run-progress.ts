import type { EvalRun, RunProgress } from '@switchroom/contract/evals'
import type { Logger } from 'pino'
import type { EventStream } from '../../calls/log/event-stream.ts'
import { secondMs } from '../../foundation/clock.ts'
import type { Runs } from './runs.ts'
import type { RunNotices } from './run-notices.ts'

/** A notice may be lost: then a reader learns of it this much later. */
const lookEveryMs = 2 * secondMs

/** Shows the progress of runs to their readers. */
export class RunProgresses {
  readonly #runs: Runs
  readonly #logger: Logger
  readonly #readers = new Map<string, Set<() => void>>()

  constructor(runs: Runs, notices: RunNotices, logger: Logger) {
    this.#runs = runs
    this.#logger = logger
    notices.on((run) => {
      for (const look of this.#readers.get(run) ?? []) look()
    })
  }

  /** The run as it is, then whenever it changed, until it is over. */
  follow(run: EvalRun, stream: EventStream) {
    if (stream.isOver) return
    const reader = new RunReader(this.#runs, this.#logger, run, stream)
    const readers = this.#readers.get(run.id) ?? new Set()
    const look = () => reader.look()
    const looks = setInterval(look, lookEveryMs)
    stream.onClose = () => {
      clearInterval(looks)
      readers.delete(look)
      if (readers.size === 0) this.#readers.delete(run.id)
    }
    this.#readers.set(run.id, readers.add(look))
    reader.look()
  }
}

class RunReader {
  readonly #runs: Runs
  readonly #logger: Logger
  readonly #run: EvalRun
  readonly #stream: EventStream
  #shown = ''
  #isLooking = false
  #hasNews = false

  constructor(runs: Runs, logger: Logger, run: EvalRun, stream: EventStream) {
    this.#runs = runs
    this.#logger = logger
    this.#run = run
    this.#stream = stream
  }

  /** One look at a time; what is announced meanwhile is looked for after it. */
  look() {
    this.#hasNews = true
    if (this.#isLooking) return
    this.#isLooking = true
    this.#look()
      .catch((error: unknown) => {
        this.#logger.warn({ err: error, run: this.#run.id }, 'a run could not be followed')
        this.#stream.ends()
      })
      .finally(() => (this.#isLooking = false))
  }

  async #look() {
    while (this.#hasNews && !this.#stream.isOver) {
      this.#hasNews = false
      const run = await this.#runs.read(this.#stream.caller, this.#run.id)
      const progress: RunProgress = { run }
      const shown = JSON.stringify(progress)
      if (shown !== this.#shown) this.#stream.send(Buffer.from(`event: progress\ndata: ${shown}\n\n`))
      this.#shown = shown
      if (run.state !== 'running') this.#stream.end()
    }
  }
}
