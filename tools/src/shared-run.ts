import { run } from 'node:test'
import { spec as Spec } from 'node:test/reporters'
import { filesAtOnce, root, testFiles } from './test-files.ts'
import { testPrograms } from './test-groups.ts'

/** Runs the given test files, or all of them, many in one process. */
const given = process.argv.slice(2)
const files = testPrograms(given.length > 0 ? given : testFiles())
const tests = run({ cwd: root, files, concurrency: filesAtOnce })
process.exitCode = 1 // until the sum of all says otherwise
tests.on('test:summary', ({ file, success }) => {
  if (file === undefined && success) process.exitCode = 0
})
for await (const piece of tests.compose(new Spec())) process.stdout.write(piece)
