import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aligned, tabbed } from './table.ts'
import { cut, plain, widthOf } from './text-width.ts'

test('a text takes as many columns as a terminal gives it', () => {
  const widths = { abc: 3, 日本: 4, é: 1, '👩‍👩‍👧': 2, 한글: 4 }
  for (const [text, width] of Object.entries(widths)) assert.equal(widthOf(text), width, text)
  assert.deepEqual([cut('abcdef', 4), cut('日本語', 4), cut('abc', 3)], ['abc…', '日…', 'abc'])
})

test('what would move the cursor or turn the line around is a space', () => {
  assert.equal(plain('a\u001b[31mb\r\nc\u009bd\u202ee'), 'a [31mb c d e')
})

const columns = [
  { title: 'name', of: ({ name }: { name: string; note: string | null }) => name },
  { title: 'note', of: ({ note }: { name: string; note: string | null }) => note },
]
const rows = [
  { name: 'ana', note: 'x'.repeat(50) },
  { name: '日本', note: null },
]

test('for people the widest column that names nothing gives way, for programs none does', () => {
  const { title, lines } = aligned(columns, rows, 30)
  assert.deepEqual([title, ...lines], ['NAME  NOTE', `ana   ${'x'.repeat(23)}…`, '日本'])
  const [{ title: name, of }, note] = columns as [(typeof columns)[0], (typeof columns)[1]]
  const named = aligned(
    [{ title: name, of, isName: true }, note],
    [{ name: 'n'.repeat(20), note: 'x'.repeat(50) }],
    30,
  )
  assert.deepEqual(named.lines, [`${'n'.repeat(20)}  ${'x'.repeat(7)}…`])
  assert.deepEqual(tabbed(columns, rows), [`ana\t${'x'.repeat(50)}`, '日本\t'])
})
