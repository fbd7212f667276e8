import { type ChildProcess, spawn } from 'node:child_process'
import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from './failures.ts'

const stopsWithinMs = 12_000
const firstPauseMs = 1000
const longestPauseMs = 30_000
const settledAfterMs = 60_000
const lastWords = 10_000

export interface KeptProcessOptions {
  /** Its name in messages. */
  name: string
  program: string
  folder: string
  environment: NodeJS.ProcessEnv
  log: { file: string; descriptor: number }
  tell: (line: string) => void
  /** Its other messages to the parent, besides `ready`. */
  hear?: (message: unknown) => void
  /** The signal that stops it. Default: SIGTERM. */
  stopSignal?: NodeJS.Signals
}

/** A child process that is restarted when it stops. It sends `ready` to its parent. */
export class KeptProcess {
  readonly #options: KeptProcessOptions
  readonly #stopping = new AbortController()
  #child: ChildProcess | undefined
  #watch = Promise.resolve()

  constructor(options: KeptProcessOptions) {
    this.#options = options
  }

  /** Resolves when it is ready; rejects with its own error message if it stops before. */
  async start(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => void this.stop(), { once: true })
    const running = await this.#launch()
    this.#watch = this.#keepAlive(running)
  }

  /** Resolves when it is ready, or when it stopped before and is being restarted. */
  async startOrRetry(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => void this.stop(), { once: true })
    const running = await this.#tryLaunch()
    this.#watch = this.#keepAlive(running)
  }

  async #launch(): Promise<Running> {
    this.#stopping.signal.throwIfAborted()
    const { program, folder, environment, log } = this.#options
    const child = spawn(process.execPath, [program], {
      cwd: folder,
      env: environment,
      stdio: ['ignore', log.descriptor, 'pipe', 'ipc'],
      detached: true, // the launcher handles the terminal's Ctrl-C and stops everything in order
    })
    this.#child = child
    let said = ''
    child.stderr?.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-lastWords)
      append(log.descriptor, chunk)
    })
    return new Promise((resolve, reject) => {
      const ended = new Promise<string>((end) => {
        child.once('error', (error) => end(error.message))
        child.once('close', (status, signal) => end(signal ?? `status ${status}`))
      })
      child.on('message', (message) => {
        if (message === 'ready') resolve({ since: Date.now(), ended })
        else this.#options.hear?.(message)
      })
      void ended.then((how) => reject(this.#whyItEnded(said, how, child.exitCode)))
    })
  }

  #whyItEnded(said: string, how: string, status: number | null): Failure {
    const [sentence, ...more] = said.split('\n').filter((line) => line.trim() !== '')
    if (sentence && more.length === 0) return new Failure(sentence, status || 1)
    return new Failure(
      `${this.#options.name} stopped before it was ready (${how}): read ${this.#options.log.file}`,
      status || 1,
    )
  }

  async #keepAlive(first: Running | undefined): Promise<void> {
    const { name, log, tell } = this.#options
    let running = first
    let pauseMs = firstPauseMs
    while (!this.#stopping.signal.aborted) {
      if (running) {
        const how = await running.ended
        if (this.#stopping.signal.aborted) return
        if (Date.now() - running.since > settledAfterMs) pauseMs = firstPauseMs
        tell(`${name} stopped (${how}), restarting in ${pauseMs / 1000} s: read ${log.file}`)
      }
      await sleep(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => {})
      pauseMs = Math.min(pauseMs * 2, longestPauseMs)
      running = await this.#tryLaunch()
      if (running) tell(`${name} is running again`)
    }
  }

  async #tryLaunch(): Promise<Running | undefined> {
    try {
      return await this.#launch()
    } catch (error) {
      if (!this.#stopping.signal.aborted && error instanceof Failure) this.#options.tell(error.message)
      return undefined
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    const child = this.#child
    if (child && isRunning(child)) {
      child.kill(this.#options.stopSignal ?? 'SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), stopsWithinMs)
      await new Promise((resolve) => child.once('close', resolve))
      clearTimeout(timer)
    }
    await this.#watch
  }

  kill(): void {
    this.#child?.kill('SIGKILL')
  }
}

interface Running {
  since: number
  ended: Promise<string>
}

function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null
}

function append(descriptor: number, text: Buffer): void {
  try {
    writeSync(descriptor, text)
  } catch {
    // a full disk must not end the launcher too
  }
}
