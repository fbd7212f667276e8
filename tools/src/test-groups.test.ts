import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testFiles } from './test-files.ts'
import { testGroups } from './test-groups.ts'

test('every test file is in one group, and what cannot share a process is alone', () => {
  const files = testFiles()
  const groups = testGroups(files).map(({ files: together }) => together)
  assert.deepEqual(groups.flat().toSorted(), files.toSorted())
  const shared = groups.filter((together) => together.length > 1).flat()
  assert.ok(shared.length > 300)
  assert.deepEqual(
    shared.filter((file) => /^(?:e2e\/src\/(?!console-)|session\/src\/spoken\/|vendors\/local\/)/.test(file)),
    [],
  )
})

test('the longest start first, a long one is heavy and shares no process, and one that measures time is quiet', () => {
  const measured = (wallSeconds: number) => ({ wallSeconds, cpuSeconds: 1 })
  const budget = {
    packages: {},
    files: {
      'gateway/src/long.test.ts': measured(90),
      'e2e/src/spoken-long.test.ts': measured(60),
      'gateway/src/timed.test.ts': measured(5),
    },
  }
  const files = [
    'gateway/src/timed.test.ts',
    'e2e/src/spoken-long.test.ts',
    'gateway/src/long.test.ts',
    'gateway/src/a.test.ts',
  ]
  const textOf = (file: string) => (file.includes('timed') ? "import 'x'\n// Measures time: …\n" : '')
  assert.deepEqual(
    testGroups(files, { budget, textOf }).map(({ files: [file], kind }) => [file, kind]),
    [
      ['gateway/src/long.test.ts', 'heavy'],
      ['e2e/src/spoken-long.test.ts', 'sound'],
      ['gateway/src/timed.test.ts', 'quiet'],
      ['gateway/src/a.test.ts', 'light'],
    ],
  )
})

test('a few files use both cores', () => {
  const files = ['gateway/src/a.test.ts', 'gateway/src/b.test.ts', 'cli/src/c.test.ts']
  assert.equal(testGroups(files, { textOf: () => '' }).length, 3)
})
