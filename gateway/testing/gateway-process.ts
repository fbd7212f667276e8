import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { testEnvironment, type Deployment } from './deployment.ts'

const main = join(import.meta.dirname, '../src/main.ts')

/** A further gateway on a deployment's database, as a process of its own that can be killed. */
export class GatewayProcess implements AsyncDisposable {
  readonly url: string
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.url = `http://127.0.0.1:${port}`
  }

  static async start(
    { database }: Pick<Deployment, 'database'>,
    wanted: Record<string, string>,
  ): Promise<GatewayProcess> {
    const child = spawn(process.execPath, [main], {
      env: { ...process.env, ...testEnvironment(database.url, wanted) },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    for await (const line of createInterface({ input: child.stdout })) {
      const { msg, port } = JSON.parse(line) as { msg: string; port: number }
      if (msg !== 'listening') continue
      child.stdout.resume()
      return new GatewayProcess(child, port)
    }
    throw new Error('the gateway did not start')
  }

  /** As when the machine takes it away: nothing of it runs any more. */
  async kill() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    this.#child.kill('SIGKILL')
    await once(this.#child, 'exit')
  }

  /** As an operator does; answers its exit code. */
  async terminate(): Promise<number | null> {
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGTERM')
    const [code] = await exited
    return code as number | null
  }

  [Symbol.asyncDispose]() {
    return this.kill()
  }
}
