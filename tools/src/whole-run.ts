import { isAbsolute, relative } from 'node:path'
import { run } from 'node:test'
import { spec as Spec } from 'node:test/reporters'
import { filesAtOnce, root, testFiles } from './test-files.ts'
import { testPrograms } from './test-groups.ts'

const slowestTold = 20

const files = testFiles()
const known = new Set(files)
const tookMs = new Map<string, number>()
const tests = run({ cwd: root, files: testPrograms(files), concurrency: filesAtOnce })
tests.on('test:complete', ({ name, details }) => {
  const file = isAbsolute(name) ? relative(root, name) : name // of one in a process of its own the whole path
  if (known.has(file)) tookMs.set(file, details.duration_ms)
})
process.exitCode = 1 // until the sum of all says otherwise
tests.on('test:summary', ({ file, success }) => {
  if (file === undefined && success) process.exitCode = 0
})
for await (const piece of tests.compose(new Spec())) process.stdout.write(piece)
const slowest = [...tookMs].toSorted(([, a], [, b]) => b - a).slice(0, slowestTold)
process.stdout.write(`\nThe slowest of ${files.length} files:\n`)
for (const [file, ms] of slowest) process.stdout.write(`${(ms / 1000).toFixed(1).padStart(7)} s  ${file}\n`)
