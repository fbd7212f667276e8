import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Failure } from './failures.ts'

const sqliteBusy = 5

/**
 * Holds a folder for this process. Node has no flock; SQLite's exclusive lock is one, and the kernel drops it
 * however the process ends.
 */
export function lockFolder(folder: string): { release(): void } {
  const lock = new DatabaseSync(join(folder, 'launcher.lock'), { timeout: 300 })
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (!isBusy(error)) throw error
    throw new Failure(
      `the data folder ${folder} is in use by another running Switchroom: ` +
        `stop that one, or set SVC_DATA to another folder`,
    )
  }
  return { release: () => lock.close() }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy
}
