import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { asFailure } from '@switchroom/launcher/failures'
import { startThrowawayPostgres } from '@switchroom/launcher/postgres'
import { cpuTime, difference } from './cpu-time.ts'
import { installMissing } from './debian-packages.ts'
import { costsVariable, readCosts } from './file-costs.ts'
import { suiteReport } from './suite-report.ts'
import { filesAtOnce, root, testFiles } from './test-files.ts'

const testTimeoutMs = 300_000
const testProcess = new URL('test-process.ts', import.meta.url).href
const wholeRun = join(import.meta.dirname, 'whole-run.ts')
const cache = join(root, 'node_modules', '.cache', 'switchroom')
const costs = join(cache, 'test-costs.jsonl')

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
const chosen = files.length > 0 ? files : testFiles()
const isWhole = given.length === 0
const run = isWhole
  ? [wholeRun]
  : ['--test', '--test-reporter=spec', `--test-concurrency=${filesAtOnce}`, ...options, ...chosen]

if (isWhole) installMissing((sentence) => process.stdout.write(`${sentence}\n`))
mkdirSync(cache, { recursive: true })
rmSync(costs, { force: true })
try {
  const postgres = await startThrowawayPostgres(interrupted.signal)
  let beforeStop = cpuTime()
  try {
    process.exitCode = await runTests({
      ...process.env,
      TEST_POSTGRES_URL: postgres.url('postgres'),
      [costsVariable]: costs,
    })
  } finally {
    beforeStop = cpuTime()
    await postgres.stop() // only now has this process waited for it, and its CPU is counted
  }
  const whole = cpuTime()
  if (isWhole)
    process.stdout.write(
      `\n${suiteReport(readCosts(costs), { wallMs: performance.now(), whole, postgres: difference(whole, beforeStop) })}`,
    )
} catch (error) {
  if (!interrupted.signal.aborted)
    process.stderr.write(`${asFailure(error, 'the temporary folder').message}\n`)
  process.exitCode = 1
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
