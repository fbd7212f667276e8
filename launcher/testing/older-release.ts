import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))

/** Why an older release cannot be laid out here; false if it can. */
export async function missingRelease(commit: string): Promise<string | false> {
  const isThere = await run('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root }).then(
    () => true,
    () => false,
  )
  return !isThere && `needs the release of commit ${commit}: run it in a clone with the history`
}

/** Lays an older release out in this folder, with the packages of this one, so that its programs can be started. */
export async function layOutRelease(commit: string, folder: string) {
  const missing = await missingRelease(commit)
  if (missing !== false) throw new Error(missing)
  const archive = join(folder, 'release.tar')
  await run('git', ['archive', '--output', archive, commit], { cwd: root })
  await run('tar', ['-xf', archive, '-C', folder])
  linkPackages(join(root, 'node_modules'), join(folder, 'node_modules'))
}

/** What is installed is shared; our own packages are the older ones. */
function linkPackages(from: string, to: string) {
  mkdirSync(to)
  for (const name of readdirSync(from)) {
    if (name !== '@switchroom') symlinkSync(join(from, name), join(to, name))
    else {
      mkdirSync(join(to, name))
      for (const own of readdirSync(join(from, name)))
        symlinkSync(readlinkSync(join(from, name, own)), join(to, name, own))
    }
  }
}
