import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { TestProgram } from './schedule.ts'
import { costIn, readBudget, type SuiteBudget } from './suite-budget.ts'
import { isSound, root } from './test-files.ts'

/** Packages whose test files run one after another in shared processes: loading a gateway costs more than most tests. */
const sharing = new Set([
  'audio',
  'cli',
  'contract',
  'gateway',
  'process',
  'sdk',
  'session',
  'speech',
  'tools',
  'vendors',
])
const filesInAProcess = 14
const fewestProcesses = 4 // so that a few files use both cores

/** Tests that count child processes of the process they run in, and tests that speak in real time. */
const alone = ['vendors/local/', 'session/src/spoken/']
const aloneFromSeconds = 25

/** How a test file says that it compares times, which other programs would disturb. */
const measuresTime = /^\/\/ Measures time\b/m

const isIn = (file: string, folders: readonly string[]) => folders.some((folder) => file.startsWith(folder))

interface TestGroup extends Omit<TestProgram, 'path'> {
  files: string[]
  seconds: number
}

/** Which files share a process; the longest first, as far as they were measured. */
export function testGroups(
  files: readonly string[],
  {
    budget = readBudget(),
    textOf = readText,
  }: { budget?: SuiteBudget; textOf?: (file: string) => string } = {},
): TestGroup[] {
  const groups: TestGroup[] = []
  const shared: { file: string; seconds: number }[] = []
  for (const file of files) {
    const seconds = costIn(budget, file).wallSeconds
    if (measuresTime.test(textOf(file))) groups.push({ files: [file], kind: 'quiet', seconds })
    else if (isSound(file)) groups.push({ files: [file], kind: 'sound', seconds })
    else if (
      !sharing.has(file.slice(0, file.indexOf('/'))) ||
      isIn(file, alone) ||
      seconds >= aloneFromSeconds
    )
      groups.push({ files: [file], kind: 'busy', seconds })
    else shared.push({ file, seconds })
  }
  return [...groups, ...evenly(shared)].toSorted((a, b) => b.seconds - a.seconds)
}

const readText = (file: string) => readFileSync(join(root, file), 'utf8')

function evenly(shared: readonly { file: string; seconds: number }[]): TestGroup[] {
  const count = Math.max(Math.ceil(shared.length / filesInAProcess), Math.min(fewestProcesses, shared.length))
  const groups = Array.from({ length: count }, (): TestGroup => ({ files: [], kind: 'busy', seconds: 0 }))
  for (const { file, seconds } of shared.toSorted((a, b) => b.seconds - a.seconds)) {
    const shortest = groups.reduce((least, group) => (group.seconds < least.seconds ? group : least))
    shortest.files.push(file)
    shortest.seconds += seconds
  }
  return groups
}

/** The programs of a run: a test file, or one that runs a group of them. */
export function testPrograms(files: readonly string[]): TestProgram[] {
  const folder = join(tmpdir(), 'test-groups') // of this run alone
  mkdirSync(folder, { recursive: true })
  return testGroups(files).map(({ files: together, kind }, at) => {
    const [only = ''] = together
    const path =
      together.length === 1 ? join(root, only) : writeProgram(join(folder, `${at}.test.mjs`), together)
    return { path, kind }
  })
}

function writeProgram(path: string, files: readonly string[]): string {
  const runner = pathToFileURL(join(import.meta.dirname, 'run-together.ts')).href
  writeFileSync(
    path,
    `import { runTogether } from '${runner}'\nawait runTogether(${JSON.stringify(files)})\n`,
  )
  return path
}
