import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byteRangeOf } from './byte-range.ts'

test('a range is the part of the file that it names, as far as that goes', () => {
  for (const [header, wanted] of [
    ['bytes=0-9', { start: 0, end: 9 }],
    ['bytes=90-', { start: 90, end: 99 }],
    ['bytes=90-1000', { start: 90, end: 99 }],
    ['bytes=-10', { start: 90, end: 99 }],
    ['bytes=-1000', { start: 0, end: 99 }],
    ['bytes=100-', 'outside'],
    ['bytes=-0', 'outside'],
    ['bytes=9-0', null],
    ['bytes=0-1,5-6', null],
    ['bytes=-', null],
    ['lines=1-2', null],
    [undefined, null],
  ] as const)
    assert.deepEqual(byteRangeOf(header, 100), wanted, header)
})
