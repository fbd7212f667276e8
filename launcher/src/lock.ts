import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from './failures.ts'

const sqliteBusy = 5
const askAgainMs = 100

export interface FolderLock {
  /** Another start waits from now on, until it is released. */
  stopping(): void
  release(): void
}

/**
 * Holds a folder for this process. Node has no flock; SQLite's exclusive lock is one, and the kernel drops it
 * however the process ends. Waits for a holder that is stopping; refuses while another one runs.
 */
export async function lockFolder(
  folder: string,
  onWait: () => void,
  signal?: AbortSignal,
): Promise<FolderLock> {
  const stopping = join(folder, 'launcher.stopping')
  for (let isWaiting = false; ; await sleep(askAgainMs, undefined, { signal })) {
    const isStopping = existsSync(stopping) // looked at first: it stays until the holder has released the folder
    const lock = tryLock(folder)
    if (lock) {
      rmSync(stopping, { force: true })
      return { stopping: () => mark(stopping), release: () => lock.close() }
    }
    if (!isStopping)
      throw new Failure(
        `the data folder ${folder} is in use by another running Switchroom: ` +
          `stop that one, or set SVC_DATA to another folder`,
      )
    if (!isWaiting) onWait()
    isWaiting = true
  }
}

function mark(file: string): void {
  try {
    writeFileSync(file, '')
  } catch {
    // A full disk keeps nobody from stopping: the next start is refused instead of waiting.
  }
}

function tryLock(folder: string): DatabaseSync | undefined {
  const lock = new DatabaseSync(join(folder, 'launcher.lock'), { timeout: 300 })
  try {
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock.close()
    if (!isBusy(error)) throw error
    return undefined
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy
}
