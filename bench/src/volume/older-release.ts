import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../processes.ts'

const run = promisify(execFile)

/** The last commit whose newest migration is `0037_trunk_tests.sql`. */
const commit = '9e28baf'

/** Lays the older release out in this folder, with the packages of this one, so that its gateway can be started. */
export async function layOutOlderRelease(folder: string) {
  const archive = join(folder, 'release.tar')
  try {
    await run('git', ['archive', '--output', archive, commit], { cwd: root })
  } catch (error) {
    throw new Error(`this bench starts the gateway of commit ${commit}: run it in a clone with the history`, {
      cause: error,
    })
  }
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
