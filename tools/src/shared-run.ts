import { PassThrough } from 'node:stream'
import { run } from 'node:test'
import { spec as Spec } from 'node:test/reporters'
import { runAll } from './schedule.ts'
import { root, testFiles } from './test-files.ts'
import { testPrograms } from './test-groups.ts'

/** Runs the given test files, or all of them, many in one process. */
const given = process.argv.slice(2)
const programs = testPrograms(given.length > 0 ? given : testFiles())
const events = new PassThrough({ objectMode: true })
const counts = { tests: 0, suites: 0, passed: 0, failed: 0, cancelled: 0, skipped: 0, todo: 0 }
let succeeded = 0

const reported = events.pipe(new Spec())
reported.pipe(process.stdout)
await runAll(programs, runProgram)
const said = { ...counts, duration_ms: performance.now() }
for (const [name, value] of Object.entries(said)) {
  const message = `${name.replace('passed', 'pass').replace('failed', 'fail')} ${value}`
  events.write({ type: 'test:diagnostic', data: { nesting: 0, message, level: 'info' } })
}
events.end()
process.exitCode = succeeded === programs.length ? 0 : 1

/** What it reports is passed on when it has ended: nothing else would separate two programs' tests. */
async function runProgram(path: string): Promise<void> {
  const own: unknown[] = []
  for await (const event of run({ cwd: root, files: [path], concurrency: 1 })) {
    const ofProgram = event.data === undefined || !('file' in event.data) || event.data.file === undefined
    if (event.type === 'test:summary' && ofProgram) {
      if (event.data.success) succeeded += 1
      for (const name of Object.keys(counts) as (keyof typeof counts)[])
        counts[name] += event.data.counts[name]
    } else if (event.type !== 'test:diagnostic' || !ofProgram) own.push(event)
  }
  for (const event of own) events.write(event)
}
