import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathOf } from '@switchroom/tools/debian-packages'
import { databaseSettings } from './pooler-settings.ts'
import { freePort, isOpen } from './ports.ts'
import { closeTogether, pipeBoth, startPostgresProxy, type PostgresProxy } from './postgres-proxy.ts'
import { until } from './until.ts'

/** It refuses to run as root. */
const account = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

export interface PgBouncerOptions {
  /** Sessions of PostgreSQL that it has for a database at most. */
  poolSize?: number
  /** Further lines of its configuration. */
  more?: readonly string[]
}

/** PgBouncer of this machine in transaction mode, in front of every database of a PostgreSQL. */
export class PgBouncer implements AsyncDisposable {
  readonly port: number
  readonly #folder: string
  readonly #proxy: PostgresProxy
  readonly #sessions: ReadonlySet<Socket>
  #program: ChildProcess | undefined

  private constructor(folder: string, port: number, proxy: PostgresProxy, sessions: ReadonlySet<Socket>) {
    this.#folder = folder
    this.port = port
    this.#proxy = proxy
    this.#sessions = sessions
  }

  static async start(
    databaseUrl: string,
    { poolSize = 3, more = [] }: PgBouncerOptions = {},
  ): Promise<PgBouncer> {
    const folder = await mkdtemp(join(tmpdir(), 'switchroom-pgbouncer-'))
    if (account.uid !== undefined) await chown(folder, account.uid, account.gid)
    // The socket of the test's PostgreSQL is for its owner alone.
    const sessions = new Set<Socket>()
    const proxy = await startPostgresProxy(databaseUrl, (client, server) => {
      sessions.add(server)
      server.on('close', () => sessions.delete(server))
      pipeBoth(client, server)
      closeTogether(client, server)
    })
    const port = await freePort()
    const { port: to, username } = new URL(proxy.url)
    const lines = [
      '[databases]',
      `* = host=127.0.0.1 port=${to}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = trust',
      'auth_file = users.txt',
      'pool_mode = transaction',
      `default_pool_size = ${poolSize}`,
      'max_client_conn = 1000',
      'server_login_retry = 1',
      ...more,
    ]
    await writeFile(join(folder, 'users.txt'), `"${decodeURIComponent(username)}" ""\n`, { mode: 0o644 })
    await writeFile(join(folder, 'pgbouncer.ini'), `${lines.join('\n')}\n`, { mode: 0o644 })
    const pooler = new PgBouncer(folder, port, proxy, sessions)
    await pooler.run()
    return pooler
  }

  /** The settings of a gateway whose database this is, over the pooler. */
  settingsFor(databaseUrl: string): Record<string, string> {
    return databaseSettings(databaseUrl, String(this.port))
  }

  async run() {
    this.#program = spawn(pathOf('pgbouncer'), ['-q', 'pgbouncer.ini'], {
      cwd: this.#folder, // entered before the rights are dropped
      stdio: 'ignore',
      ...account,
    })
    await until('PgBouncer listens', () => isOpen(this.port))
  }

  /** Ends every session that it has, under whatever runs in it. */
  cutSessions() {
    for (const session of this.#sessions) session.destroy()
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
    this.#proxy.close()
    await rm(this.#folder, { recursive: true, force: true })
  }
}
