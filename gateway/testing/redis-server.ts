import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathOf } from '@switchroom/tools/debian-packages'
import type { ServerCertificate } from './certificates.ts'
import { freePort, isOpen } from './ports.ts'
import { until } from './until.ts'

/** Redis of this machine, on a port of its own, with a password. */
export class RedisServer implements AsyncDisposable {
  readonly password = 'correct-horse'
  readonly #folder: string
  readonly #port: number
  readonly #tls: ServerCertificate | undefined
  #program: ChildProcess | undefined

  private constructor(folder: string, port: number, tls: ServerCertificate | undefined) {
    this.#folder = folder
    this.#port = port
    this.#tls = tls
  }

  /** With a certificate it speaks TLS only. */
  static async start(tls?: ServerCertificate): Promise<RedisServer> {
    const folder = await mkdtemp(join(tmpdir(), 'switchroom-redis-'))
    if (tls) {
      await writeFile(join(folder, 'cert.pem'), tls.cert)
      await writeFile(join(folder, 'key.pem'), tls.key, { mode: 0o600 })
    }
    const server = new RedisServer(folder, await freePort(), tls)
    await server.run()
    return server
  }

  get url(): string {
    return `redis${this.#tls ? 's' : ''}://default:${this.password}@127.0.0.1:${this.#port}`
  }

  get port(): number {
    return this.#port
  }

  async run() {
    const [plain, tls] = this.#tls ? [0, this.#port] : [this.#port, 0]
    const secured = this.#tls
      ? ['--tls-port', String(tls), '--tls-cert-file', 'cert.pem', '--tls-key-file', 'key.pem']
      : []
    const options = ['--port', String(plain), '--bind', '127.0.0.1', '--requirepass', this.password]
    const light = ['--save', '', '--appendonly', 'no', '--io-threads', '1', '--tls-auth-clients', 'no']
    this.#program = spawn(pathOf('redis-server'), [...options, ...secured, ...light], {
      cwd: this.#folder,
      stdio: 'ignore',
    })
    await until('Redis listens', () => isOpen(this.#port))
  }

  async kill() {
    const program = this.#program
    this.#program = undefined
    if (!program || program.exitCode !== null) return
    program.kill('SIGKILL')
    await once(program, 'exit')
  }

  async [Symbol.asyncDispose]() {
    await this.kill()
    await rm(this.#folder, { recursive: true, force: true })
  }
}
