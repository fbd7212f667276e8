import { accessSync, chmodSync, constants, mkdtempSync, readFileSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const memory = '/dev/shm'
const neededBytes = 6 * 1024 ** 3 // hundreds of databases come and go, twenty and their logs are there together

/** The folder for what tests write: in memory if there is room, as a new database takes a fifth of the CPU there. */
export function testFolder(): string {
  const folder = mkdtempSync(join(hasRoom() ? memory : tmpdir(), 'switchroom-tests-'))
  chmodSync(folder, 0o1777) // PostgreSQL and some tests run as another user
  return folder
}

function hasRoom(): boolean {
  try {
    accessSync(memory, constants.W_OK)
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[1] === memory)
    if (!mount || mount.includes('noexec')) return false // some tests start programs that they write
    const { bavail, bsize } = statfsSync(memory)
    return Math.min(bavail * bsize, process.availableMemory()) >= neededBytes
  } catch {
    return false
  }
}
