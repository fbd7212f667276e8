import { join, relative } from 'node:path'
import { run } from 'node:test'
import { spec as Spec } from 'node:test/reporters'
import { filesAtOnce, root, testFiles } from './test-files.ts'

const slowestTold = 20

const files = testFiles().map((file) => join(root, file))
const tookMs = new Map<string, number>()
const tests = run({ cwd: root, files, concurrency: filesAtOnce })
tests.on('test:complete', ({ name, file = '', details }) => {
  if (name === file) tookMs.set(relative(root, file), details.duration_ms) // the file itself, not a test in it
})
process.exitCode = 1 // until the sum of all says otherwise
tests.on('test:summary', ({ file, success }) => {
  if (file === undefined && success) process.exitCode = 0
})
for await (const piece of tests.compose(new Spec())) process.stdout.write(piece)
const slowest = [...tookMs].toSorted(([, a], [, b]) => b - a).slice(0, slowestTold)
process.stdout.write(`\nThe slowest of ${files.length} files:\n`)
for (const [file, ms] of slowest) process.stdout.write(`${(ms / 1000).toFixed(1).padStart(7)} s  ${file}\n`)
