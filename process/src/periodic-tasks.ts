import type { BaseLogger } from 'pino'

/** Work that is done again and again. */
export interface PeriodicTask {
  name: string
  everyMs: number
  /** Whether it also runs when it is started. */
  runsAtStart?: boolean
  /** The signal aborts when the task is stopped. */
  run(signal: AbortSignal): unknown
}

/** Runs tasks, each at its own interval and never beside itself. A failure is logged and the task runs again. */
export class PeriodicTasks {
  readonly #logger: Pick<BaseLogger, 'warn'>
  readonly #started = new Map<PeriodicTask, StartedTask>()

  constructor(logger: Pick<BaseLogger, 'warn'>) {
    this.#logger = logger
  }

  start(...tasks: readonly PeriodicTask[]) {
    for (const task of tasks)
      if (!this.#started.has(task)) this.#started.set(task, new StartedTask(task, this.#logger))
  }

  /** Stops these tasks, and waits for the runs under way. */
  async stop(...tasks: readonly PeriodicTask[]): Promise<void> {
    await Promise.all(
      tasks.map(async (task) => {
        const started = this.#started.get(task)
        this.#started.delete(task)
        await started?.stop()
      }),
    )
  }

  async stopAll(): Promise<void> {
    await this.stop(...this.#started.keys())
  }
}

class StartedTask {
  readonly #task: PeriodicTask
  readonly #logger: Pick<BaseLogger, 'warn'>
  readonly #stopping = new AbortController()
  readonly #timer: NodeJS.Timeout
  #running: Promise<void> | undefined

  constructor(task: PeriodicTask, logger: Pick<BaseLogger, 'warn'>) {
    this.#task = task
    this.#logger = logger
    this.#timer = setInterval(() => this.#start(), task.everyMs)
    this.#timer.unref()
    if (task.runsAtStart) this.#start()
  }

  async stop() {
    clearInterval(this.#timer)
    this.#stopping.abort()
    await this.#running
  }

  #start() {
    this.#running ??= this.#run().finally(() => (this.#running = undefined))
  }

  async #run() {
    try {
      await this.#task.run(this.#stopping.signal)
    } catch (error) {
      this.#logger.warn({ err: error, task: this.#task.name }, 'a periodic task failed')
    }
  }
}
