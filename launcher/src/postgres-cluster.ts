import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from './commands.ts'
import { diskFull, Failure, saysDiskFull } from './failures.ts'
import type { Account } from './postgres-account.ts'
import type { PostgresBinaries } from './postgres-binaries.ts'

export const superuser = 'switchroom'
const databaseName = 'switchroom'
const leftoverStopsWithinMs = 30_000
const pollMs = 50

/** How the server names its own folder: with root's folders above it, only the working folder is open to it. */
export function folderSeenBy(account: Account | undefined, cluster: string): string {
  return account ? '/proc/self/cwd' : cluster
}

interface CreateOptions {
  binaries: PostgresBinaries
  account: Account | undefined
  durable: boolean
  signal: AbortSignal
}

/** Makes the cluster under another name first, so that a crash leaves a whole one or none. */
export async function createCluster(
  cluster: string,
  { binaries, account, durable, signal }: CreateOptions,
): Promise<void> {
  const parent = dirname(cluster)
  const draftPrefix = `${basename(cluster)}.new-`
  for (const entry of readdirSync(parent)) {
    if (entry.startsWith(draftPrefix)) removeDraft(join(parent, entry))
  }
  const draft = join(parent, draftPrefix + randomUUID())
  const folder = folderSeenBy(account, draft)
  const options = { cwd: draft, signal, ...account }
  try {
    mkdirSync(draft, { mode: 0o700 })
    if (account) chownSync(draft, account.uid, account.gid)
    const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']
    const sync = durable ? [] : ['--no-sync']
    // Every client of the socket is trusted: only the owner has access to this folder.
    const access = ['--auth=trust', `--username=${superuser}`]
    await make(binaries.initdb, ['-D', folder, ...access, ...locale, ...sync], options, parent)
    const input = `CREATE DATABASE ${databaseName}\n`
    await make(binaries.postgres, ['--single', '-D', folder, 'postgres'], { ...options, input }, parent)
    renameSync(draft, cluster)
    if (durable) syncFolder(parent)
  } catch (error) {
    removeDraft(draft)
    throw error
  }
}

// A killed launcher's initdb may still be writing into it.
function removeDraft(draft: string): void {
  rmSync(draft, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}

async function make(
  program: string,
  args: string[],
  options: Parameters<typeof run>[2],
  folder: string,
): Promise<void> {
  const { status, output } = await run(program, args, options)
  const problem = /(?:error|FATAL|PANIC|ERROR): +(\S.*)/.exec(output)
  if (status === 0 && !problem) return
  if (saysDiskFull(output)) throw diskFull(folder)
  throw new Failure(
    `could not create the database in ${folder}: ${problem?.[1] ?? `${basename(program)} ended with ${status}`}`,
  )
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

/** Stops a server that outlived its launcher, and removes stale lock files. */
export async function clearLeftovers(cluster: string): Promise<void> {
  for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock']) {
    const pid = pidIn(join(cluster, name))
    if (pid === undefined || !isAlive(pid)) continue
    if (isServerOf(cluster, pid)) await stopServer(cluster, pid)
    else rmSync(join(cluster, name), { force: true })
  }
}

async function stopServer(cluster: string, pid: number): Promise<void> {
  const deadline = Date.now() + leftoverStopsWithinMs
  process.kill(pid, 'SIGINT')
  while (isServerOf(cluster, pid)) {
    if (Date.now() > deadline)
      throw new Failure(
        `an earlier PostgreSQL of ${cluster} does not stop: kill process ${pid}, then start again`,
      )
    await sleep(pollMs)
  }
}

function pidIn(file: string): number | undefined {
  return existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) || undefined : undefined
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function isServerOf(cluster: string, pid: number): boolean {
  if (process.platform !== 'linux') {
    return spawnSync('ps', ['-p', String(pid), '-o', 'comm='], { encoding: 'utf8' }).stdout.includes(
      'postgres',
    )
  }
  try {
    return (
      readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster) &&
      basename(readlinkSync(`/proc/${pid}/exe`)).startsWith('postgres')
    )
  } catch {
    return false
  }
}
