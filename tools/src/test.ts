import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { asFailure } from '@switchroom/launcher/failures'
import { startThrowawayPostgres } from '@switchroom/launcher/postgres'
import { installMissing } from './debian-packages.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const filesAtOnce = 4
const testTimeoutMs = 300_000
const deadline = new URL('file-deadline.ts', import.meta.url).href

const interrupted = new AbortController()
let runner: ChildProcess | undefined
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    interrupted.abort()
    signalGroup(runner, signal)
  })
}

if (process.argv.length === 2) installMissing((sentence) => process.stdout.write(`${sentence}\n`))
try {
  const postgres = await startThrowawayPostgres(interrupted.signal)
  try {
    process.exitCode = await runTests({ ...process.env, TEST_POSTGRES_URL: postgres.url('postgres') })
  } finally {
    await postgres.stop()
  }
} catch (error) {
  if (!interrupted.signal.aborted)
    process.stderr.write(`${asFailure(error, 'the temporary folder').message}\n`)
  process.exitCode = 1
}

function runTests(environment: NodeJS.ProcessEnv): Promise<number> {
  const given = process.argv.slice(2)
  const files = given.filter((argument) => existsSync(argument))
  const options = given.filter((argument) => !files.includes(argument))
  const flags = [
    `--import=${deadline}`,
    '--test',
    '--test-reporter=spec',
    `--test-concurrency=${filesAtOnce}`,
    `--test-timeout=${testTimeoutMs}`,
    ...options,
  ]
  const child = spawn(process.execPath, [...flags, ...(files.length > 0 ? files : testFiles())], {
    cwd: files.length > 0 ? process.cwd() : root,
    env: { NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'switchroom'), ...environment }, // half the CPU
    stdio: 'inherit',
    detached: true, // a group of its own, so that what the tests start can be ended with it
  })
  runner = child
  return new Promise((resolve) => {
    child.on('exit', (status) => {
      signalGroup(child, 'SIGTERM')
      resolve(status ?? 1)
    })
  })
}

function testFiles(): string[] {
  const { workspaces }: { workspaces: string[] } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  const patterns = workspaces.flatMap((folder) => [
    `${folder}/src/**/*.test.ts`,
    `${folder}/testing/**/*.test.ts`,
  ])
  return globSync(patterns, { cwd: root, exclude: ['tools/src/fixtures/**'] })
}

function signalGroup(child: ChildProcess | undefined, signal: NodeJS.Signals): void {
  if (child?.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch {
    // the group is already gone
  }
}
