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
    shared.filter((file) =>
      /^(?:e2e|launcher|media|worker|vendors\/local|session\/src\/spoken)\//.test(file),
    ),
    [],
  )
})
