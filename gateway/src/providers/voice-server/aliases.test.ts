import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aliasesOf } from './aliases.ts'

test('an alias is the name in lower case, with runs of other characters as one dash (SD-73)', () => {
  assert.deepEqual(aliasesOf(['Thalia', 'New York  Man', 'Zoë', 'Ana/2', '李娜']), [
    'thalia',
    'new-york-man',
    'zoë',
    'ana-2',
    '李娜',
  ])
})

test('repeats are counted from two, and no two voices share an alias (SD-73)', () => {
  assert.deepEqual(aliasesOf(['Ana', 'ana', 'ANA']), ['ana', 'ana-2', 'ana-3'])
  assert.deepEqual(aliasesOf(['Ana 2', 'Ana', 'Ana']), ['ana-2', 'ana', 'ana-3'])
  assert.deepEqual(aliasesOf(['Ana', 'Ana', 'Ana 2']), ['ana', 'ana-2', 'ana-2-2'])
})
