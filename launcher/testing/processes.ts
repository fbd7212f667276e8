import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** The processes that work inside the folder or were started with it among their settings. */
export function processesOf(folder: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && (worksIn(pid, folder) || isToldOf(pid, folder)))
}

function worksIn(pid: number, folder: string): boolean {
  return readOrEmpty(() => readlinkSync(`/proc/${pid}/cwd`)).startsWith(folder)
}

function isToldOf(pid: number, folder: string): boolean {
  return readOrEmpty(() => readFileSync(`/proc/${pid}/environ`, 'utf8')).includes(folder)
}

function readOrEmpty(read: () => string): string {
  try {
    return read()
  } catch {
    return '' // it ended meanwhile, or belongs to another user
  }
}
