import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { S3Settings } from '../../src/foundation/blobs/s3-settings.ts'
import { freePort, isOpen } from '../ports.ts'
import { until } from '../until.ts'

const program = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'moto_server'))
  .find((path) => existsSync(path))

/** The shim of a Python that is not the chosen one is there and fails. */
const works = program !== undefined && spawnSync(program, ['--help'], { stdio: 'ignore' }).status === 0

/** Why a test that needs it is skipped; false if it runs. */
export const missingMoto = !works && "needs moto_server: pip install 'moto[server]'"

/** AWS as `moto` plays it: it checks no signatures, but knows unfinished uploads and encryption. */
export class MotoServer implements AsyncDisposable {
  readonly settings: S3Settings
  readonly #program: ChildProcess

  private constructor(running: ChildProcess, port: number) {
    this.#program = running
    this.settings = {
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      bucket: 'recordings',
      prefix: '',
      accessKey: 'any',
      secretKey: 'any',
      encryption: { 'x-amz-server-side-encryption': 'AES256' },
    }
  }

  static async start(): Promise<MotoServer> {
    const port = await freePort()
    const running = spawn(program ?? 'moto_server', ['-H', '127.0.0.1', '-p', String(port)], {
      stdio: 'ignore',
    })
    const server = new MotoServer(running, port)
    await until('moto listens', () => isOpen(port), 90_000)
    const { endpoint, bucket } = server.settings
    await fetch(`${endpoint}/${bucket}`, { method: 'PUT' })
    return server
  }

  async [Symbol.asyncDispose]() {
    this.#program.kill('SIGKILL')
    await once(this.#program, 'exit')
  }
}
