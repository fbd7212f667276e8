import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { root, spread, testFiles } from './test-files.ts'

test('a whole run starts every test file once', () => {
  const files = testFiles()
  assert.equal(new Set(files).size, files.length)
  assert.ok(files.includes('tools/src/test-files.test.ts'))
  assert.deepEqual(
    files.filter((file) => !existsSync(join(root, file))),
    [],
  )
})

test('journeys start far from each other, and a quarter of the others starts after the last of them', () => {
  const others = Array.from({ length: 12 }, (_, n) => `other-${n}`)
  const order = spread(['first', 'second', 'third', 'fourth'], others)
  assert.deepEqual(
    order.flatMap((file, at) => (others.includes(file) ? [] : [at])),
    [0, 4, 8, 12],
  )
  assert.deepEqual(
    order.filter((file) => others.includes(file)),
    others,
  )
  assert.deepEqual(spread(['first'], []), ['first'])
  assert.deepEqual(spread([], others), others)
})
