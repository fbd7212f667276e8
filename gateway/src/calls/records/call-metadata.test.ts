import assert from 'node:assert/strict'
import { test } from 'node:test'
import { metadataInQuery, readMetadata } from './call-metadata.ts'

test('metadata is an object of at most 4096 bytes, and is kept as it came', () => {
  const given = { name: 'Ana', nested: { list: [1, true, null] } }
  assert.deepEqual(readMetadata(given), given)
  assert.deepEqual(metadataInQuery(JSON.stringify(given)), given)
  assert.deepEqual(metadataInQuery(undefined), {})
  const fits = { a: 'x'.repeat(4096 - '{"a":""}'.length) }
  assert.deepEqual(readMetadata(fits), fits)
  assert.throws(() => readMetadata({ a: `${fits.a}x` }), {
    status: 400,
    message: 'metadata is at most 4096 bytes of JSON',
  })
  assert.throws(() => readMetadata({ a: 'é'.repeat(2045) }), { status: 400 }) // bytes, not characters
})

test('metadata that is nested deeper than a stack is refused, and ends nothing', () => {
  let deep: Record<string, unknown> = {}
  for (let level = 0; level < 200_000; level += 1) deep = { deep }
  assert.throws(() => readMetadata(deep), { status: 400, message: 'metadata is nested too deeply' })
})
