import { type ChildProcess, spawn } from 'node:child_process'
import { chownSync, existsSync, fstatSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { plainEnvironment } from './commands.ts'
import { diskFull, Failure, saysDiskFull } from './failures.ts'
import { type Account, postgresAccount } from './postgres-account.ts'
import { findPostgres } from './postgres-binaries.ts'
import { clearLeftovers, createCluster, folderSeenBy, superuser } from './postgres-cluster.ts'
import { openSocketFolder } from './postgres-socket.ts'

const pollMs = 20
const stopsWithinMs = 20_000
const guardScript = readFileSync(new URL('postgres-guard.sh', import.meta.url), 'utf8')

export interface Postgres {
  version: string
  url(database: string): string
  ended: Promise<void>
  stop(): Promise<void>
  kill(): void
}

interface StartOptions {
  cluster: string
  log: { file: string; descriptor: number }
  signal: AbortSignal
}

/** Starts the server of this cluster, which is made when it is not there. */
export function startPostgres(options: StartOptions): Promise<Postgres> {
  return start(options, {
    durable: true,
    settings: ['shared_buffers=64MB', 'max_connections=100'],
    remove: '',
  })
}

export interface ThrowawayOptions {
  signal?: AbortSignal
  /** The folder that holds its folder. */
  parent?: string
  settings?: readonly string[]
}

/** A server for tests: quick rather than safe, and nothing is left of it when its starter is gone. */
export async function startThrowawayPostgres({
  signal = new AbortController().signal,
  parent = tmpdir(),
  settings: more = [],
}: ThrowawayOptions = {}): Promise<Postgres> {
  const folder = mkdtempSync(join(parent, 'switchroom-'))
  const account = postgresAccount(folder)
  if (account) chownSync(folder, account.uid, account.gid)
  const file = join(folder, 'postgres.log')
  const log = { file, descriptor: openSync(file, 'a') }
  const always = ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off', 'max_connections=300']
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    const postgres = await start(
      { cluster: join(folder, 'postgres'), log, signal },
      { durable: false, settings: [...always, ...more], remove: folder },
    )
    return { ...postgres, stop: () => postgres.stop().finally(remove) }
  } catch (error) {
    remove()
    throw error
  }
}

interface Kind {
  durable: boolean
  settings: string[]
  remove: string
}

async function start(
  { cluster, log, signal }: StartOptions,
  { durable, settings, remove }: Kind,
): Promise<Postgres> {
  const account = postgresAccount(cluster)
  const binaries = await findPostgres(account)
  if (!existsSync(join(cluster, 'PG_VERSION')))
    await createCluster(cluster, { binaries, account, durable, signal })
  await clearLeftovers(cluster)
  const sockets = openSocketFolder(cluster)
  const server = new Server({
    program: binaries.postgres,
    cluster,
    account,
    settings,
    log: log.descriptor,
    remove,
  })
  const stop = () => server.stop().finally(() => sockets.remove())
  try {
    await server.untilReady(signal, log.file)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    version: binaries.version,
    url: (database) =>
      `postgresql://${superuser}@localhost/${database}?host=${encodeURIComponent(sockets.folder)}`,
    ended: server.ended,
    stop,
    kill: () => server.kill(),
  }
}

interface ServerOptions {
  program: string
  cluster: string
  account: Account | undefined
  settings: string[]
  log: number
  remove: string
}

/** The running server and the shell that guards it. */
class Server {
  readonly ended: Promise<void>
  readonly #guard: ChildProcess
  readonly #cluster: string
  readonly #logStart: number
  #pid: number | undefined
  #isRunning = true

  constructor({ program, cluster, account, settings, log, remove }: ServerOptions) {
    this.#cluster = cluster
    this.#logStart = fstatSync(log).size
    const always = [
      'listen_addresses=',
      'unix_socket_directories=.',
      'cluster_name=switchroom',
      'log_timezone=UTC',
    ]
    const args = [
      '-D',
      folderSeenBy(account, cluster),
      ...[...always, ...settings].flatMap((setting) => ['-c', setting]),
    ]
    this.#guard = spawn('/bin/sh', ['-c', guardScript, 'sh', program, ...args], {
      cwd: cluster,
      ...account,
      env: { ...plainEnvironment(), REMOVE: remove },
      stdio: ['pipe', log, log, 'pipe'],
      detached: true,
    })
    this.#guard.stdin?.on('error', () => {}) // it may be gone before it is asked to stop
    this.#guard.stdio[3]?.on('data', (text) => (this.#pid = Number(text)))
    this.ended = new Promise((resolve) => {
      this.#guard.on('error', () => resolve())
      this.#guard.on('exit', () => resolve())
    })
    void this.ended.then(() => (this.#isRunning = false))
  }

  async untilReady(signal: AbortSignal, logFile: string): Promise<void> {
    while (!this.#isReady()) {
      signal.throwIfAborted()
      if (!this.#isRunning) throw this.#whyItEnded(logFile)
      await sleep(pollMs)
    }
  }

  // The first line of this file is the server's process id, the eighth its state.
  #isReady(): boolean {
    const file = join(this.#cluster, 'postmaster.pid')
    const lines = this.#isRunning && existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
    return Number(lines[0]) === this.#pid && lines[7]?.trim() === 'ready'
  }

  #whyItEnded(logFile: string): Failure {
    const said = readFileSync(logFile).subarray(this.#logStart).toString()
    if (saysDiskFull(said)) return diskFull(this.#cluster)
    const reason = /(?:FATAL|PANIC): +(.*)/.exec(said)?.[1] ?? 'it stopped at once'
    return new Failure(`PostgreSQL did not start (${reason}): read ${logFile}, then start again`)
  }

  async stop(): Promise<void> {
    this.#guard.stdin?.end()
    const timer = setTimeout(() => this.kill(), stopsWithinMs)
    await this.ended
    clearTimeout(timer)
  }

  kill(): void {
    try {
      if (this.#isRunning && this.#pid) process.kill(this.#pid, 'SIGQUIT')
    } catch {
      // it has just ended
    }
  }
}
