import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { until } from '@switchroom/gateway/testing/until'

export interface ProgramOptions {
  cwd: string
  settings: Record<string, string>
}

/** A program that runs beside the test, and what it printed. */
export class RunningProgram implements AsyncDisposable {
  printed = ''
  readonly #child: ChildProcessWithoutNullStreams
  readonly #closed: Promise<unknown>

  constructor(program: string, args: readonly string[], { cwd, settings }: ProgramOptions) {
    const inherited = Object.entries(process.env).filter(
      ([name]) => !/^(SVC_|NODE_TEST_|NODE_OPTIONS)/.test(name),
    )
    this.#child = spawn(program, args, {
      cwd,
      env: { ...Object.fromEntries(inherited), ...settings },
      detached: true, // a group of its own, as in a terminal: what it starts ends with it
    })
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream.on('data', (piece) => (this.printed += String(piece)))
    this.#closed = once(this.#child, 'close')
  }

  async prints(words: string | RegExp, withinMs = 60_000): Promise<void> {
    const isThere = () =>
      typeof words === 'string' ? this.printed.includes(words) : words.test(this.printed)
    const isOver = () => this.#child.exitCode !== null || this.#child.signalCode !== null
    await until(`it prints ${String(words)}`, () => isThere() || isOver(), withinMs).catch(() => {})
    if (!isThere()) throw new Error(`it never printed ${String(words)}; it printed: ${this.printed}`)
  }

  /** Its exit status, once it has ended by itself. */
  async ended(): Promise<number | null> {
    await this.#closed
    return this.#child.exitCode
  }

  async interrupt(): Promise<number | null> {
    this.#signal('SIGINT')
    return this.ended()
  }

  async [Symbol.asyncDispose]() {
    this.#signal('SIGKILL')
    await this.#closed
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid, exitCode, signalCode } = this.#child
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, signal)
  }
}

export interface Ran {
  status: number | null
  stdout: string
  stderr: string
}

/** Runs a program to its end. */
export async function ranIn(
  cwd: string,
  env: Record<string, string>,
  program: string,
  args: readonly string[],
  input = '',
): Promise<Ran> {
  const child = spawn(program, args, { cwd, env })
  const ran = { stdout: '', stderr: '' }
  child.stdout.on('data', (piece) => (ran.stdout += String(piece)))
  child.stderr.on('data', (piece) => (ran.stderr += String(piece)))
  child.stdin.on('error', () => {}) // it may end without reading
  child.stdin.end(input)
  await once(child, 'close')
  return { ...ran, status: child.exitCode }
}
