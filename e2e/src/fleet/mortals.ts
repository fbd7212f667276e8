import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { startedGateway, type GatewayProcess } from '../gateway-process.ts'
import { WorkerProcess } from '../spoken-fixture.ts'
import type { Passed } from './proxy.main.ts'

/** A process that is killed at any moment and comes back at its address. */
export interface Mortal {
  readonly name: string
  start: () => Promise<void>
  /** As when the machine takes it away. */
  kill: () => Promise<void>
}

export class MortalGateway implements Mortal {
  readonly name: string
  readonly url: string
  /** The folder of the release that it is started from; this one if there is none. */
  release: string | undefined
  readonly #start: () => Promise<GatewayProcess>
  readonly #all: GatewayProcess[] = []

  constructor(name: string, port: number, databaseUrl: string, settings: Record<string, string>) {
    this.name = name
    this.url = `http://127.0.0.1:${port}`
    this.#start = () => startedGateway(databaseUrl, { ...settings, SVC_PORT: String(port) }, this.release)
  }

  async start() {
    this.#all.push(await this.#start())
  }

  async kill() {
    const last = this.#all.at(-1)
    last?.child.kill('SIGKILL')
    await last?.ended
  }

  /** As an operator does; answers its exit code. */
  async terminate(): Promise<number | null | undefined> {
    const last = this.#all.at(-1)
    last?.child.kill('SIGTERM')
    return last?.ended
  }

  /** Whether it runs since it was last started. */
  get isAlive(): boolean {
    const child = this.#all.at(-1)?.child
    return child?.exitCode === null && child.signalCode === null
  }

  /** Lines that it wrote as errors, in all its lives. */
  get errors(): string[] {
    const lines = this.#all.flatMap((life) => life.stdout().split('\n'))
    return lines.filter((line) => /"level":[56]0/.test(line))
  }
}

export class MortalWorker implements Mortal {
  readonly name: string
  readonly sipPort: number
  readonly #settings: Record<string, string>
  /** The folder of the release that it is started from; this one if there is none. */
  release: string | undefined
  readonly #all: WorkerProcess[] = []
  isUp = false

  constructor(name: string, sipPort: number, settings: Record<string, string>) {
    this.name = name
    this.sipPort = sipPort
    this.#settings = settings
  }

  async start() {
    const settings = { ...this.#settings, SVC_SIP_PORT: String(this.sipPort) }
    const worker = new WorkerProcess(this.sipPort, settings, this.release)
    this.#all.push(worker)
    await worker.untilReady()
    this.isUp = true
  }

  /** The whole machine: the processes of its calls too. */
  async kill() {
    this.isUp = false
    const worker = this.#all.at(-1)
    if (!worker || worker.child.exitCode !== null || worker.child.signalCode !== null) return
    for (const pid of [...worker.processes, Number(worker.child.pid)]) killOne(pid)
    await worker.ended
  }

  /** As an operator does: it finishes its calls. Answers its exit code. */
  async terminate(): Promise<number | null | undefined> {
    this.isUp = false
    const worker = this.#all.at(-1)
    worker?.child.kill('SIGTERM')
    return worker?.ended
  }
}

/** What stands before the gateways, and what passed it in all its lives. */
export class MortalProxy implements Mortal {
  readonly name = 'proxy'
  readonly url: string
  readonly passed: Passed[] = []
  readonly #args: string[]
  #child: ChildProcess | undefined

  constructor(port: number, gateways: readonly { url: string }[]) {
    this.url = `http://127.0.0.1:${port}`
    this.#args = [String(port), ...gateways.map(({ url }) => new URL(url).port)]
  }

  async start() {
    const child = fork(fileURLToPath(new URL('proxy.main.ts', import.meta.url)), this.#args)
    this.#child = child
    await once(child, 'message')
    child.on('message', (passed) => this.passed.push(passed as Passed))
  }

  async kill() {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }
}

function killOne(pid: number) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // it has just ended
  }
}
