import { PassThrough } from 'node:stream'
import { run } from 'node:test'
import { spec as Spec } from 'node:test/reporters'
import { runAll } from './schedule.ts'
import { StallMeter } from './stall-meter.ts'
import { root, testFiles } from './test-files.ts'
import { testPrograms } from './test-groups.ts'

/** From here on a machine is too late for tests of sound. */
const stalledFromMs = 300
/** More would hide something else than a stalled machine. */
const mostAgain = 5

interface Outcome {
  isPassed: boolean
  counts: Partial<typeof counts>
  events: TestEvent[]
}

type TestEvent = { type: string; data: Record<string, unknown> | undefined }

/** Runs the given test files, or all of them, many in one process. */
const given = process.argv.slice(2)
const programs = testPrograms(given.length > 0 ? given : testFiles())
const events = new PassThrough({ objectMode: true })
const counts = { tests: 0, suites: 0, passed: 0, failed: 0, cancelled: 0, skipped: 0, todo: 0 }
const meter = new StallMeter()
const again: { path: string; stalledMs: number; failed: string[] }[] = []
let succeeded = 0

const reported = events.pipe(new Spec())
reported.pipe(process.stdout)
await runAll(programs, runProgram)
for (const { path, stalledMs, failed } of again) {
  say(`failed while the machine stood still for ${stalledMs} ms, and run again alone: ${failed.join('; ')}`)
  report(await outcomeOf(path))
}
for (const [name, value] of Object.entries(counts))
  say(`${name.replace('passed', 'pass').replace('failed', 'fail')} ${value}`)
say(`duration_ms ${performance.now()}`)
for (const { stalledMs, failed } of again)
  say(`failed once, on a machine that stood still for ${stalledMs} ms: ${failed.join('; ')}`)
events.end()
meter.stop()
process.exitCode = succeeded === programs.length ? 0 : 1

/** What failed while the machine stood still is run once more, when nothing else runs; that counts. */
async function runProgram(path: string): Promise<void> {
  const startedAt = performance.now()
  const outcome = await outcomeOf(path)
  const stalledMs = meter.longestSince(startedAt)
  if (outcome.isPassed || stalledMs < stalledFromMs || again.length >= mostAgain) return report(outcome)
  again.push({ path, stalledMs, failed: failedIn(outcome) })
}

async function outcomeOf(path: string): Promise<Outcome> {
  const outcome: Outcome = { isPassed: false, counts: {}, events: [] }
  for await (const event of run({ cwd: root, files: [path], concurrency: 1 })) {
    const ofProgram = event.data === undefined || !('file' in event.data) || event.data.file === undefined
    if (event.type === 'test:summary' && ofProgram) {
      outcome.isPassed = event.data.success
      outcome.counts = { ...event.data.counts }
    } else if (event.type !== 'test:diagnostic' || !ofProgram) outcome.events.push(event as TestEvent)
  }
  return outcome
}

/** What a program reports is passed on when it has ended: nothing else would separate two programs' tests. */
function report({ isPassed, counts: counted, events: own }: Outcome): void {
  if (isPassed) succeeded += 1
  for (const name of Object.keys(counts) as (keyof typeof counts)[]) counts[name] += counted[name] ?? 0
  for (const event of own) events.write(event)
}

function failedIn({ events: own }: Outcome): string[] {
  return own.filter(({ type }) => type === 'test:fail').map(({ data }) => String(data?.['name']))
}

function say(message: string): void {
  events.write({ type: 'test:diagnostic', data: { nesting: 0, message, level: 'info' } })
}
