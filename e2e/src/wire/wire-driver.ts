import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** What a driver reports; tests read fields of reports whose shape they are there to prove. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Report = any

interface Waiting {
  resolve: (value: Report) => void
  reject: (error: DriverError) => void
}

/** An error that the SDK raised, as its driver reports it. */
export class DriverError extends Error {
  readonly code: string
  readonly detail: string
  /** The HTTP status, if the gateway answered a request. */
  readonly status: number | undefined

  constructor({ code, detail, status }: { code: string; detail: string; status?: number }) {
    super(`${code}: ${detail}`)
    this.code = code
    this.detail = detail
    this.status = status
  }
}

/**
 * A program that does with its SDK what it reads line by line as JSON, `{id, do, …}`, answers each with
 * `{id, value}` or `{id, error}`, and reports what happens as `{event, …}`.
 */
export class WireDriver implements AsyncDisposable {
  readonly reports: Report[] = []
  stderr = ''
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, Waiting>()
  #asked = 0
  #gone: DriverError | undefined

  constructor(command: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
    const child = spawn(command, args, {
      env: { ...process.env, ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    this.#child = child
    child.stderr.on('data', (chunk) => (this.stderr += String(chunk)))
    child.stdin.on('error', () => {})
    createInterface({ input: child.stdout }).on('line', (line) => this.#take(line))
    child.once('exit', (code) => {
      this.#gone = new DriverError({
        code: 'GONE',
        detail: `the driver exited with ${code}: ${this.stderr}`,
      })
      for (const { reject } of this.#waiting.values()) reject(this.#gone)
    })
  }

  /** What the SDK answered. */
  ask(doing: string, more: object = {}): Promise<Report> {
    const id = (this.#asked += 1)
    const { promise, resolve, reject } = Promise.withResolvers<Report>()
    promise.catch(() => {}) // also if the test awaits it later
    this.#waiting.set(id, { resolve, reject })
    if (this.#gone) reject(this.#gone)
    this.#child.stdin?.write(`${lineOf({ id, do: doing, ...more })}\n`)
    return promise
  }

  /** The reports with these fields. */
  reported(fields: Record<string, unknown>): Report[] {
    const wanted = Object.entries(fields)
    return this.reports.filter((report) => wanted.every(([name, value]) => report[name] === value))
  }

  async [Symbol.asyncDispose]() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await exited
  }

  #take(line: string) {
    const report: Report = JSON.parse(line)
    if (report.id === undefined) {
      this.reports.push(report)
      return
    }
    const waiting = this.#waiting.get(report.id)
    this.#waiting.delete(report.id)
    if (report.error) waiting?.reject(new DriverError(report.error))
    else waiting?.resolve(report.value)
  }
}

/** Readers of lines also break them at these two. */
const lineOf = (value: object) =>
  JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
