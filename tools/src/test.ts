import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asFailure } from '@switchroom/launcher/failures'
import { startThrowawayPostgres } from '@switchroom/launcher/postgres'
import { cpuTime, difference } from './cpu-time.ts'
import { installMissing } from './debian-packages.ts'
import { costsVariable, readCosts } from './file-costs.ts'
import { measuredBudget, overBudget, readBudget, writeBudget } from './suite-budget.ts'
import { type RunCosts, suiteReport } from './suite-report.ts'
import { filesAtOnce, root, testFiles } from './test-files.ts'
import { testFolder } from './test-memory.ts'

const testTimeoutMs = 600_000
const postgresSettings = [
  'autovacuum=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'jit=off',
  'io_method=sync',
]
const testProcess = new URL('test-process.ts', import.meta.url).href
const sharedRun = join(import.meta.dirname, 'shared-run.ts')
const cache = join(root, 'node_modules', '.cache', 'switchroom')
const costs = join(cache, `test-costs-${process.pid}.jsonl`)
/** Options of ours: shares processes between the given files; writes the budget anew after a whole run. */
const [together, measure] = ['--together', '--measure']

const interrupted = new AbortController()
let runner: ChildProcess | undefined
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    interrupted.abort()
    signalGroup(runner, signal)
  })
}

const given = process.argv.slice(2)
const files = given.filter((argument) => !argument.startsWith('-'))
const absent = files.filter((file) => !existsSync(file))
if (absent.length > 0) {
  process.stderr.write(`there is no ${absent.join(', no ')}\n`)
  process.exit(1)
}
const options = given.filter((argument) => argument.startsWith('-'))
const isWhole = given.every((argument) => argument === measure)
const run =
  isWhole || options.includes(together)
    ? [sharedRun, ...files]
    : ['--test', '--test-reporter=spec', `--test-concurrency=${filesAtOnce}`, ...options, ...chosenFiles()]

if (isWhole) installMissing((sentence) => process.stdout.write(`${sentence}\n`))
mkdirSync(cache, { recursive: true })
const folder = testFolder()
try {
  const postgres = await startThrowawayPostgres({
    signal: interrupted.signal,
    parent: folder,
    settings: postgresSettings,
  })
  let beforeStop = cpuTime()
  try {
    process.exitCode = await runTests({
      ...process.env,
      TEST_POSTGRES_URL: postgres.url('postgres'),
      [costsVariable]: costs,
      TMPDIR: folder,
      TEST_DISK: tmpdir(),
    })
  } finally {
    beforeStop = cpuTime()
    await postgres.stop() // only now has this process waited for it, and its CPU is counted
  }
  const whole = cpuTime()
  if (isWhole) report({ wallMs: performance.now(), whole, postgres: difference(whole, beforeStop) })
} catch (error) {
  if (!interrupted.signal.aborted)
    process.stderr.write(`${asFailure(error, 'the temporary folder').message}\n`)
  process.exitCode = 1
} finally {
  rmSync(costs, { force: true })
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 }) // what the tests started may still be ending
}

function chosenFiles(): string[] {
  return files.length > 0 ? files : testFiles()
}

/** Shares of a run that failed, or without the children that only Linux counts, say nothing about the budget. */
function report(spent: RunCosts): void {
  const costOfFiles = readCosts(costs)
  process.stdout.write(`\n${suiteReport(costOfFiles, spent)}`)
  if (process.exitCode !== 0 || process.platform !== 'linux') return
  const measured = measuredBudget(costOfFiles)
  if (given.includes(measure)) return writeBudget(measured)
  for (const sentence of overBudget(measured, readBudget())) {
    process.stderr.write(`${sentence}\n`)
    process.exitCode = 1
  }
}

function runTests(environment: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(
    process.execPath,
    [`--import=${testProcess}`, `--test-timeout=${testTimeoutMs}`, ...run],
    {
      cwd: files.length > 0 ? process.cwd() : root,
      env: { NODE_COMPILE_CACHE: cache, ...environment }, // half the CPU
      stdio: 'inherit',
      detached: true, // a group of its own, so that what the tests start can be ended with it
    },
  )
  runner = child
  return new Promise((resolve) => {
    child.on('exit', (status) => {
      signalGroup(child, 'SIGTERM')
      resolve(status ?? 1)
    })
  })
}

function signalGroup(child: ChildProcess | undefined, signal: NodeJS.Signals): void {
  if (child?.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch {
    // the group is already gone
  }
}
