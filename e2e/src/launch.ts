import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { afterwards } from '@switchroom/launcher/testing/folders'
import { processesOf } from '@switchroom/launcher/testing/processes'
import { until } from '@switchroom/launcher/testing/waiting'
import { freePort } from '@switchroom/launcher/testing/free-port'

export const root = fileURLToPath(new URL('../..', import.meta.url))
const linkForm = /^ {2}(http:\S+\/invitations\/\S+)$/gm

interface LaunchOptions {
  data: string
  settings?: Record<string, string>
  checkout?: string
  command?: [program: string, ...args: string[]]
  account?: { uid: number; gid: number }
}

/** The checkout's own Node: the one of this process may lie in a folder that another user cannot enter. */
function nodeOf(checkout: string): string {
  const own = join(checkout, 'node_modules', '.bin', 'node')
  return existsSync(own) ? own : process.execPath
}

/** One start of the whole product, as a person's terminal would run it. */
export class Launch {
  readonly address: string
  readonly ended: Promise<number | null>
  stdout = ''
  stderr = ''
  readonly #child: ChildProcess
  readonly #data: string

  constructor(port: number, { data, settings = {}, checkout = root, command, account }: LaunchOptions) {
    this.address = `http://127.0.0.1:${port}`
    this.#data = data
    const [program, ...args] = command ?? [nodeOf(checkout), 'launcher/src/main.ts']
    const inherited = Object.entries(process.env).filter(([name]) => !/^(SVC_|NODE_TEST_)/.test(name))
    this.#child = spawn(program, args, {
      cwd: checkout,
      env: {
        ...Object.fromEntries(inherited),
        SVC_DATA: data,
        SVC_PORT: String(port),
        SVC_DASHBOARD_PORT: '0',
        SVC_VOICE_PORT: '0',
        ...settings,
      },
      ...account,
      detached: true, // like a terminal's foreground group, which gets its Ctrl-C together
    })
    this.#child.stdout?.on('data', (chunk) => (this.stdout += chunk))
    this.#child.stderr?.on('data', (chunk) => (this.stderr += chunk))
    this.ended = new Promise((resolve, reject) => {
      this.#child.once('close', resolve)
      this.#child.once('error', reject) // it could not even be started
    })
  }

  get links(): string[] {
    return [...this.stdout.matchAll(linkForm)].map(([, link = '']) => link)
  }

  async untilReady(withinMs = 120_000): Promise<this> {
    const isReady = () => {
      if (this.#child.exitCode !== null) throw new Error('it ended')
      return this.stdout.includes('Press Ctrl-C to stop.')
    }
    await until('it runs', isReady, withinMs).catch((error: Error) => {
      throw new Error(`${error.message}; it said: ${this.stdout}${this.stderr}`)
    })
    return this
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  pressCtrlC(): void {
    this.#signalAll('SIGINT')
  }

  /** Its output has nowhere to go any more, and everybody in front gets SIGHUP. */
  closeTerminal(): void {
    this.#child.stdout?.destroy()
    this.#child.stderr?.destroy()
    this.#signalAll('SIGHUP')
  }

  #signalAll(signal: NodeJS.Signals): void {
    const { pid, exitCode, signalCode } = this.#child
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, signal)
  }

  async stop(): Promise<number | null> {
    this.pressCtrlC()
    return this.ended
  }

  /** Asks as the operator, with the key the launcher made. */
  async ask(path: string): Promise<unknown> {
    const key = readFileSync(join(this.#data, 'operator.key'), 'utf8')
    const response = await fetch(this.address + path, { headers: { authorization: `Bearer ${key}` } })
    return response.json()
  }

  leftBehind(): number[] {
    return processesOf(this.#data)
  }
}

export async function launch(t: TestContext, options: LaunchOptions): Promise<Launch> {
  const started = new Launch(await freePort(), options)
  afterwards(t, () => started.stop())
  return started
}
