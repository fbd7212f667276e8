import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { TestProgram } from './schedule.ts'
import { costIn, readBudget, type SuiteBudget } from './suite-budget.ts'
import { isSound, root } from './test-files.ts'

/** Test files that run one after another in shared processes: loading a gateway costs more than most tests. */
const sharing = [
  'audio/',
  'cli/',
  'contract/',
  'e2e/src/console-',
  'gateway/',
  'launcher/',
  'media/',
  'process/',
  'sdk/',
  'session/',
  'speech/',
  'tools/',
  'vendors/',
  'worker/',
]
/** How many files share a process: a browser is closed with its process, and tests of sound are long. */
const filesInAProcess = { light: 14, browser: 4, sound: 6 }
const fewestProcesses = 4 // so that a few files use both cores

/** Tests that count child processes of the process they run in; and spoken sessions: a shared process did not end after them. */
const alone = ['session/src/spoken/', 'vendors/local/']
const longFromSeconds = 25

/** How a test file says that it compares times, which other programs would disturb. */
const measuresTime = /^\/\/ Measures time\b/m

const isIn = (file: string, starts: readonly string[]) => starts.some((start) => file.startsWith(start))

interface TestGroup extends Omit<TestProgram, 'path'> {
  files: string[]
  seconds: number
}

type Company = keyof typeof filesInAProcess

/** Which files share a process; the longest first, as far as they were measured. */
export function testGroups(
  files: readonly string[],
  {
    budget = readBudget(),
    textOf = readText,
  }: { budget?: SuiteBudget; textOf?: (file: string) => string } = {},
): TestGroup[] {
  const groups: TestGroup[] = []
  const shared: Record<Company, MeasuredFile[]> = { light: [], browser: [], sound: [] }
  for (const file of files) {
    const seconds = costIn(budget, file).wallSeconds
    const isLong = seconds >= longFromSeconds
    const isAlone = !isIn(file, sharing) || isIn(file, alone) || isLong
    if (measuresTime.test(textOf(file))) groups.push({ files: [file], kind: 'quiet', seconds })
    else if (isAlone) groups.push({ files: [file], kind: kindOf(file, isLong), seconds })
    else shared[companyOf(file)].push({ file, seconds })
  }
  for (const [company, members] of Object.entries(shared) as [Company, MeasuredFile[]][])
    groups.push(...evenly(members, company))
  return groups.toSorted((a, b) => b.seconds - a.seconds)
}

interface MeasuredFile {
  file: string
  seconds: number
}

function companyOf(file: string): Company {
  if (isSound(file)) return 'sound'
  return file.startsWith('e2e/') ? 'browser' : 'light'
}

/** Tests of the whole product start gateways, databases and browsers. */
function kindOf(file: string, isLong = false): TestProgram['kind'] {
  if (isSound(file)) return 'sound'
  return isLong || file.startsWith('e2e/') ? 'heavy' : 'light'
}

const readText = (file: string) => readFileSync(join(root, file), 'utf8')

function evenly(files: readonly MeasuredFile[], company: Company): TestGroup[] {
  const least = Math.min(fewestProcesses, files.length)
  const count = Math.max(Math.ceil(files.length / filesInAProcess[company]), least)
  const kind = company === 'browser' ? 'heavy' : company
  const groups = Array.from({ length: count }, (): TestGroup => ({ files: [], kind, seconds: 0 }))
  for (const { file, seconds } of files.toSorted((a, b) => b.seconds - a.seconds)) {
    const shortest = groups.reduce((found, group) => (group.seconds < found.seconds ? group : found))
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
      together.length === 1
        ? join(root, only)
        : writeProgram(join(folder, `${at}.${kind}.test.mjs`), together)
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
