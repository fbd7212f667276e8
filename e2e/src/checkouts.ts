import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFolder, type Lasting } from '@switchroom/launcher/testing/folders'
import { root } from './launch.ts'

export const ordinaryUser = { uid: 65534, gid: 65534 }

/** The sources as a fresh clone has them: no packages, no data. */
export function freshClone(t: Lasting): string {
  const folder = temporaryFolder(t, process.env['TEST_DISK']) // a run keeps its other folders in memory
  chmodSync(folder, 0o755)
  const clone = join(folder, 'clone')
  for (const file of trackedFiles()) {
    mkdirSync(dirname(join(clone, file)), { recursive: true })
    cpSync(join(root, file), join(clone, file))
  }
  return clone
}

/** The sources and their packages in a folder with this mode. */
export function installedClone(t: Lasting, mode: number): string {
  const clone = freshClone(t)
  const isSameDisk = statSync(root).dev === statSync(clone).dev
  for (const folder of packageFolders())
    execFileSync('cp', [isSameDisk ? '-al' : '-a', join(root, folder), dirname(join(clone, folder))])
  chmodSync(dirname(clone), mode)
  return clone
}

/** A folder that belongs to the account, closed to others. */
export function folderOf(t: Lasting, { uid, gid }: { uid: number; gid: number }): string {
  const folder = temporaryFolder(t)
  chownSync(folder, uid, gid)
  return folder
}

/** The root's, and those of workspaces that need another version of a package than the root has. */
function packageFolders(): string[] {
  const lock: { packages: object } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const folders = Object.keys(lock.packages).flatMap((path) => /^.*?node_modules(?=\/)/.exec(path)?.[0] ?? [])
  return [...new Set(folders)]
}

function trackedFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
    cwd: root,
    encoding: 'utf8',
  })
  return listed.split('\0').filter((file) => file !== '' && existsSync(join(root, file)))
}
