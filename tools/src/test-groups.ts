import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isJourney, root, spread } from './test-files.ts'

/** Packages whose test files run one after another in shared processes: loading a gateway costs more than most tests. */
const sharing = ['audio', 'cli', 'contract', 'gateway', 'process', 'sdk', 'session', 'speech', 'vendors']
const filesInAProcess = 14

export interface TestGroup {
  files: string[]
  bytes: number
}

/** Tests that count child processes of the process they run in, and tests that speak in real time. */
const alone = ['vendors/local/', 'session/src/spoken/']

const isSharing = (file: string) =>
  !alone.some((folder) => file.startsWith(folder)) && sharing.some((folder) => file.startsWith(`${folder}/`))

/** Which files share a process, the largest groups first; a file of another package is a group by itself. */
export function testGroups(files: readonly string[]): TestGroup[] {
  const sized = files.map((file) => ({ file, bytes: statSync(join(root, file)).size }))
  const shared = sized.filter(({ file }) => isSharing(file)).toSorted((a, b) => b.bytes - a.bytes)
  const count = Math.ceil(shared.length / filesInAProcess)
  const groups: TestGroup[] = Array.from({ length: count }, () => ({ files: [], bytes: 0 }))
  for (const { file, bytes } of shared) {
    const smallest = groups.reduce((least, group) => (group.bytes < least.bytes ? group : least))
    smallest.files.push(file)
    smallest.bytes += bytes
  }
  const single = sized
    .filter(({ file }) => !isSharing(file))
    .map(({ file, bytes }) => ({ files: [file], bytes }))
  return [...groups, ...single].toSorted((a, b) => b.bytes - a.bytes)
}

/** The programs of a whole run, in the order in which they start: a test file, or one that runs a group of them. */
export function testPrograms(files: readonly string[]): string[] {
  const folder = join(root, 'node_modules', '.cache', 'switchroom', 'test-groups')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const programs = testGroups(files).map(({ files: together }, at) => {
    const [only = ''] = together
    return together.length === 1 ? only : writeProgram(join(folder, `${at}.test.mjs`), together)
  })
  return spread(
    programs.filter(isJourney),
    programs.filter((program) => !isJourney(program)),
  ).map((program) => join(root, program))
}

function writeProgram(path: string, files: readonly string[]): string {
  const runner = pathToFileURL(join(import.meta.dirname, 'run-together.ts')).href
  writeFileSync(
    path,
    `import { runTogether } from '${runner}'\nawait runTogether(${JSON.stringify(files)})\n`,
  )
  return path.slice(root.length)
}
