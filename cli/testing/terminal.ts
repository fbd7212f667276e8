import { spawn as spawnProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { spawn, type IPty } from '@lydell/node-pty'
import { until } from '@switchroom/gateway/testing/until'

const binary = fileURLToPath(new URL('../bin/svc.mjs', import.meta.url))
// oxlint-disable-next-line no-control-regex -- the control codes a terminal gets beside the text
const controls = /\u001b\[[0-9;?]*[A-Za-z]|\r/g

export interface Ran {
  status: number | null
  stdout: string
  stderr: string
}

/** A user of one machine: their home, their settings, and svc as they run it. */
export class Machine implements Disposable {
  readonly home = mkdtempSync(join(tmpdir(), 'switchroom-cli-'))
  readonly environment: Record<string, string>
  readonly #terminals: Terminal[] = []

  constructor(settings: Record<string, string> = {}) {
    const inherited = Object.entries(process.env).filter(
      ([name]) => !/^(SVC_|NODE_TEST_|XDG_|NO_COLOR|FORCE_COLOR)/.test(name),
    )
    this.environment = { ...(Object.fromEntries(inherited) as Record<string, string>), ...settings }
    this.environment['HOME'] = this.home
  }

  static of(t: TestContext, settings: Record<string, string> = {}): Machine {
    const machine = new Machine(settings)
    t.after(() => machine[Symbol.dispose]())
    return machine
  }

  get credentials(): string {
    return join(this.home, '.config', 'switchroom', 'credentials.json')
  }

  /** In a script: nothing is a terminal. */
  async run(args: string[], input = '', more: Record<string, string> = {}): Promise<Ran> {
    const child = spawnProcess(process.execPath, [binary, ...args], {
      cwd: this.home,
      env: { ...this.environment, ...more },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    const ran: Ran = { status: null, stdout: '', stderr: '' }
    child.stdout.on('data', (piece) => (ran.stdout += String(piece)))
    child.stderr.on('data', (piece) => (ran.stderr += String(piece)))
    child.stdin.on('error', () => {}) // it may end without reading
    child.stdin.end(input)
    await once(child, 'close')
    return { ...ran, status: child.exitCode }
  }

  /** The answer of `--json`. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read fields of answers that they are there to prove
  async json(args: string[], more: Record<string, string> = {}): Promise<any> {
    const { status, stdout, stderr } = await this.run([...args, '--json'], '', more)
    if (status !== 0) throw new Error(`svc ${args.join(' ')} ended with ${status}: ${stderr}`)
    return JSON.parse(stdout)
  }

  /** At a terminal. */
  open(args: string[], more: Record<string, string> = {}, columns = 100): Terminal {
    const environment = { ...this.environment, TERM: 'xterm-256color', ...more }
    const terminal = new Terminal(
      spawn(process.execPath, [binary, ...args], { cols: columns, cwd: this.home, env: environment }),
    )
    this.#terminals.push(terminal)
    return terminal
  }

  [Symbol.dispose]() {
    for (const terminal of this.#terminals) terminal.close()
    rmSync(this.home, { recursive: true, force: true })
  }
}

/** A pseudo-terminal in which svc runs. */
export class Terminal {
  /** Every byte that reached it. */
  raw = ''
  readonly #pty: IPty
  #status: number | undefined

  constructor(pty: IPty) {
    this.#pty = pty
    pty.onData((piece) => (this.raw += piece))
    pty.onExit(({ exitCode }) => (this.#status = exitCode))
  }

  /** What a person reads, colours aside. */
  get text(): string {
    return this.raw.replace(controls, '')
  }

  get lines(): string[] {
    return this.text.trimEnd().split('\n')
  }

  type(text: string): void {
    this.#pty.write(text)
  }

  async shows(words: string | RegExp): Promise<RegExpMatchArray> {
    const form = typeof words === 'string' ? new RegExp(RegExp.escape(words)) : words
    return until(`the terminal shows ${String(words)}, and not only ${this.text}`, () =>
      form.exec(this.text),
    ).catch(() => {
      throw new Error(`the terminal never showed ${String(words)}; it shows: ${this.text}`)
    })
  }

  /** What still runs in it ends, as when its window is closed. */
  close(): void {
    if (this.#status === undefined) this.#pty.kill('SIGKILL')
  }

  /** The exit status, and all that was shown. */
  async ended(): Promise<{ status: number; text: string }> {
    await until('svc ends', () => this.#status !== undefined).catch(() => {
      this.#pty.kill('SIGKILL')
      throw new Error(`svc did not end; it shows: ${this.text}`)
    })
    return { status: this.#status ?? -1, text: this.text }
  }
}
