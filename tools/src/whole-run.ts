import { run } from 'node:test'
import { spec as Spec } from 'node:test/reporters'
import { filesAtOnce, root, testFiles } from './test-files.ts'
import { testPrograms } from './test-groups.ts'

const tests = run({ cwd: root, files: testPrograms(testFiles()), concurrency: filesAtOnce })
process.exitCode = 1 // until the sum of all says otherwise
tests.on('test:summary', ({ file, success }) => {
  if (file === undefined && success) process.exitCode = 0
})
for await (const piece of tests.compose(new Spec())) process.stdout.write(piece)
