import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MachineUse } from './machine-use.ts'

const hourMs = 3600 * 1000

test('the vendors of this machine are kept loaded until the first call, and for a day after each call that used them', () => {
  let now = 1
  const use = new MachineUse(() => now)
  assert.equal(use.isLikely, true)
  use.note(false)
  assert.equal(use.isLikely, false)
  use.note(true)
  now += 23 * hourMs
  use.note(false)
  assert.equal(use.isLikely, true)
  now += hourMs
  assert.equal(use.isLikely, false)
})
