import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, isOpen } from '@switchroom/gateway/testing/ports'
import { until } from '@switchroom/gateway/testing/until'
import { afterwards, type Lasting } from '@switchroom/launcher/testing/folders'

const versions = '/usr/lib/postgresql'
/** It refuses to run as root. */
const account = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

/**
 * The PostgreSQL of this machine's Debian, with the programs that back it up. The embedded one brings none of them, and
 * pg_dump refuses a server that is newer than itself.
 */
export class DebianPostgres {
  readonly version: string
  readonly port: number
  /** The folder of pg_dump and the others. */
  readonly programs: string
  readonly #program: ChildProcess

  private constructor(parts: { version: string; port: number; programs: string; program: ChildProcess }) {
    this.version = parts.version
    this.port = parts.port
    this.programs = parts.programs
    this.#program = parts.program
  }

  static async start(t: Lasting): Promise<DebianPostgres> {
    const version = readdirSync(versions)
      .toSorted((a, b) => Number(b) - Number(a))
      .find((name) => readdirSync(join(versions, name, 'bin')).includes('postgres'))
    if (version === undefined) throw new Error(`no PostgreSQL in ${versions}`)
    const programs = join(versions, version, 'bin')
    const folder = mkdtempSync(join(tmpdir(), 'switchroom-postgres-'))
    if (account.uid !== undefined) chownSync(folder, account.uid, account.gid)
    const cluster = join(folder, 'data')
    const quick = { cwd: folder, ...account }
    const words = [
      '--pgdata',
      cluster,
      '--username',
      'switchroom',
      '--auth',
      'trust',
      '--encoding',
      'UTF8',
      '--no-sync',
    ]
    execFileSync(join(programs, 'initdb'), [...words, '--no-locale'], { ...quick, stdio: 'ignore' })
    const port = await freePort()
    const settings = [
      'listen_addresses=127.0.0.1',
      `unix_socket_directories=${folder}`,
      'fsync=off',
      'max_connections=200',
    ]
    const program = spawn(
      join(programs, 'postgres'),
      ['-D', cluster, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
      { ...quick, stdio: 'ignore' },
    )
    const postgres = new DebianPostgres({ version, port, programs, program })
    afterwards(t, async () => {
      await postgres.stop()
      rmSync(folder, { recursive: true, force: true })
    })
    await until('PostgreSQL listens', () => isOpen(port))
    return postgres
  }

  url(database: string): string {
    return `postgresql://switchroom@127.0.0.1:${this.port}/${database}`
  }

  /** At once: connections are cut. */
  async stop() {
    if (this.#program.exitCode !== null || this.#program.signalCode !== null) return
    this.#program.kill('SIGINT')
    await once(this.#program, 'exit')
  }
}
