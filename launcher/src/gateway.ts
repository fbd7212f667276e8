import { type ChildProcess, spawn } from 'node:child_process'
import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from './failures.ts'

const STOPS_WITHIN_MS = 12_000
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 30_000
const SETTLED_AFTER_MS = 60_000
const LAST_WORDS = 10_000

interface GatewayOptions {
  program: string
  folder: string
  environment: NodeJS.ProcessEnv
  log: { file: string; descriptor: number }
  tell(line: string): void
}

/** The gateway's process: started, watched, started again when it dies. */
export class Gateway {
  private readonly options: GatewayOptions
  private readonly stopping = new AbortController()
  private child: ChildProcess | undefined
  private watch = Promise.resolve()

  constructor(options: GatewayOptions) {
    this.options = options
  }

  /** Settles when it accepts requests; fails with its own sentence when it ends before. */
  async start(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => void this.stop(), { once: true })
    const child = await this.launch()
    this.watch = this.keepAlive(child)
  }

  private async launch(): Promise<Running> {
    this.stopping.signal.throwIfAborted()
    const { program, folder, environment, log } = this.options
    const child = spawn(process.execPath, [program], {
      cwd: folder,
      env: environment,
      stdio: ['ignore', log.descriptor, 'pipe', 'ipc'],
      detached: true, // a terminal's Ctrl-C is for the launcher, which stops things in order
    })
    this.child = child
    let said = ''
    child.stderr?.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-LAST_WORDS)
      append(log.descriptor, chunk)
    })
    return new Promise((resolve, reject) => {
      const ended = new Promise<string>((end) => {
        child.once('error', (error) => end(error.message))
        child.once('close', (status, signal) => end(signal ?? `status ${status}`))
      })
      child.on('message', (message) => message === 'ready' && resolve({ since: Date.now(), ended }))
      void ended.then((how) => reject(this.whyItEnded(said, how, child.exitCode)))
    })
  }

  private whyItEnded(said: string, how: string, status: number | null): Failure {
    const [sentence, ...more] = said.split('\n').filter((line) => line.trim() !== '')
    if (sentence && more.length === 0) return new Failure(sentence, status || 1)
    return new Failure(
      `the gateway ended before it was ready (${how}): read ${this.options.log.file}`,
      status || 1,
    )
  }

  private async keepAlive(first: Running): Promise<void> {
    let running: Running | undefined = first
    let pauseMs = FIRST_PAUSE_MS
    while (!this.stopping.signal.aborted) {
      if (running) {
        const how = await running.ended
        if (this.stopping.signal.aborted) return
        if (Date.now() - running.since > SETTLED_AFTER_MS) pauseMs = FIRST_PAUSE_MS
        this.options.tell(
          `the gateway ended (${how}), starting it again in ${pauseMs / 1000} s: read ${this.options.log.file}`,
        )
      }
      await sleep(pauseMs, undefined, { signal: this.stopping.signal }).catch(() => {})
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
      running = await this.relaunch()
    }
  }

  private async relaunch(): Promise<Running | undefined> {
    try {
      const running = await this.launch()
      this.options.tell('the gateway runs again')
      return running
    } catch (error) {
      if (!this.stopping.signal.aborted && error instanceof Failure) this.options.tell(error.message)
      return undefined
    }
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    const child = this.child
    if (child && isRunning(child)) {
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), STOPS_WITHIN_MS)
      await new Promise((resolve) => child.once('close', resolve))
      clearTimeout(timer)
    }
    await this.watch
  }

  kill(): void {
    this.child?.kill('SIGKILL')
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
