import { randomBytes, randomUUID } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Failure, hasCode, notWritable } from './failures.ts'

const logLimitBytes = 10 * 1024 * 1024

/** Creates the folder or uses an existing one, with access for its owner only. */
export function openDataFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    closeToOthers(folder)
    accessSync(folder, constants.W_OK | constants.X_OK)
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST'))
      throw notWritable(`the data folder ${folder}`)
    throw error
  }
}

function closeToOthers(folder: string): void {
  const isOpen = process.platform !== 'win32' && (statSync(folder).mode & 0o077) !== 0
  if (!isOpen) return
  const entries = readdirSync(folder)
  if (entries.length > 0 && !entries.includes('launcher.lock')) {
    throw new Failure(
      `the data folder ${folder} is open to other users and holds other files: ` +
        `set SVC_DATA to a folder of its own, or close this one with chmod 700`,
    )
  }
  chmodSync(folder, 0o700)
}

export function vaultKey(folder: string): string {
  const file = join(folder, 'vault.key')
  if (!existsSync(file) && existsSync(join(folder, 'postgres'))) {
    throw new Failure(
      `${file} is missing, and the database is encrypted with it: restore it, or set SVC_VAULT_KEY`,
    )
  }
  return keyIn(file, () => randomBytes(32).toString('base64'))
}

export function operatorKey(folder: string): string {
  return keyIn(operatorKeyFile(folder), () => `svc_op_${randomBytes(32).toString('base64url')}`)
}

/** The key by which the processes of this deployment authenticate to each other. */
export function fleetKey(folder: string): string {
  return keyIn(join(folder, 'fleet.key'), () => `svc_fleet_${randomBytes(32).toString('base64url')}`)
}

export function operatorKeyFile(folder: string): string {
  return join(folder, 'operator.key')
}

function keyIn(file: string, make: () => string): string {
  if (!existsSync(file)) createExclusively(file, make())
  const key = readFileSync(file, 'utf8').trim()
  if (key === '')
    throw new Failure(`${file} is empty: restore it from a backup, or remove it if nothing was stored yet`)
  return key
}

// A link, unlike a write, fails when the file is there and never shows a reader half a key.
function createExclusively(file: string, text: string): void {
  const draft = `${file}.${randomUUID()}`
  try {
    writeFileSync(draft, text, { mode: 0o600, flush: true })
    linkSync(draft, file)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

export function logFolder(folder: string): string {
  return join(folder, 'logs')
}

/** Opens a log for appending; a large one is put aside first. */
export function openLog(folder: string, name: string): { file: string; descriptor: number } {
  mkdirSync(logFolder(folder), { recursive: true, mode: 0o700 })
  const file = join(logFolder(folder), name)
  if (isTooLong(file)) renameSync(file, `${file}.1`)
  return { file, descriptor: openSync(file, 'a', 0o600) }
}

/**
 * Puts aside what is too long of the logs that processes write to: the file is copied and emptied, because their
 * descriptors, which append, stay the same. A line that is written in between is lost.
 */
export function rotateLogs(folder: string): void {
  for (const name of readdirSync(logFolder(folder))) {
    const file = join(logFolder(folder), name)
    if (!name.endsWith('.log') || !isTooLong(file)) continue
    copyFileSync(file, `${file}.1`)
    truncateSync(file, 0)
  }
}

const isTooLong = (file: string) => existsSync(file) && statSync(file).size > logLimitBytes
