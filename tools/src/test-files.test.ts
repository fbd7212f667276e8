import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { root, testFiles } from './test-files.ts'

test('a whole run starts every test file once', () => {
  const files = testFiles()
  assert.equal(new Set(files).size, files.length)
  assert.ok(files.includes('tools/src/test-files.test.ts'))
  assert.deepEqual(
    files.filter((file) => !existsSync(join(root, file))),
    [],
  )
})
